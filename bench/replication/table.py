"""The table of a run, the tally of its verdicts, and the forest plot."""
from collections import Counter

from claim_files import ROOT
from verdicts import (DIFFERS, DIRECTION, NOT_REPRODUCED, REPRODUCED, VERDICTS, as_expected,
                      published_range)

from svg import FONT, GREY, INK, PALE, Axis  # noqa: E402

COLOURS = {REPRODUCED: "#1b7f3b", DIRECTION: "#2b6cb0", DIFFERS: "#b7791f",
           NOT_REPRODUCED: "#b02a2a"}


def number(value):
    return f"{value:.4g}"


def ours(entry):
    """What a run gave, with the 90 % interval."""
    if entry["note"] == entry["published"]:
        return "equal"
    if entry["ours"] is None or entry["kind"] == "order":
        return entry["note"]
    text = number(entry["ours"])
    if entry["low"] != entry["high"]:
        text += f" [{number(entry['low'])}, {number(entry['high'])}]"
    return text + (f", {entry['note']}" if entry["note"] else "")


def row(cells):
    return "| " + " | ".join(cells) + " |"


def header(cells):
    return [row(cells), "|" + "---|" * len(cells)]


def published(claim):
    return claim.published + (f" {claim.unit}" if claim.unit else "")


def within(claim):
    """The published value, with a bound's side and a tolerance that its kind does not say."""
    side = f"at {claim.side} " if claim.kind == "bound" and not claim.descriptive else ""
    own = f" ± {claim.tolerance_text}" if claim.tolerance and not claim.descriptive else ""
    return side + published(claim) + own


def tally(entries):
    """One line: how many claims have each verdict."""
    counts = Counter(entry["verdict"] for entry in entries)
    return ", ".join(f"{counts[v]} {v}" for v in VERDICTS if counts[v])


def listed(claims):
    return "\n".join(f"{claim.id:48}{claim.kind:13}{claim.seconds:6.1f} s  {claim.statement}"
                     for claim in claims)


def of_run(record, claims):
    lines = header(["claim", "evidence", "kind", "published", "ours", "tolerance", "verdict"])
    for entry in record["claims"]:
        claim = claims[entry["id"]]
        flag = "" if as_expected(entry) else " (not as expected)"
        lines.append(row([entry["id"], claim.evidence, claim.kind, published(claim), ours(entry),
                          claim.tolerance_text, entry["verdict"] + flag]))
    return "\n".join([*lines, "", tally(record["claims"]) + ".", "",
                      f"Printed on {record['provenance']}, by `{record['command']}`.", ""])


def in_forest(entry):
    """Claims that were measured and whose interval has a place to lie in."""
    return bool(entry["band"]) and entry["ours"] is not None


def forest(record):
    """Ours over published, with the interval; a bar is where the interval has to lie."""
    entries = [entry for entry in record["claims"] if in_forest(entry)]
    left, right, line, top = 270, 640, 13, 46
    height = top + line * len(entries) + 14
    axis = Axis(1 / 8, 8, left, right)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="660" height="{height}" '
           f'font-family="{FONT}" font-size="10">',
           f'<rect width="660" height="{height}" fill="#fff"/>',
           f'<text x="8" y="16" font-size="12" fill="{INK}">Ours over published, 90 % interval; '
           "grey: where it has to lie; what is beyond 1/8 and 8 is at the edge</text>"]
    x = 8
    for verdict in dict.fromkeys(sorted((e["verdict"] for e in entries), key=VERDICTS.index)):
        colour = COLOURS[verdict]
        out.append(f'<text x="{x}" y="31" fill="{colour}">● {verdict}</text>')
        x += 8 * len(verdict) + 22
    for mark in (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8):
        at, ink = axis.at(mark), GREY if mark == 1 else PALE
        out.append(f'<path d="M{at:.1f} {top - 4}V{height - 14}" stroke="{ink}"/>'
                   f'<text x="{at:.1f}" y="{height - 3}" text-anchor="middle" fill="{GREY}">'
                   f"{mark:g}</text>")

    def place(value):
        return axis.at(min(8, max(1 / 8, value)))

    for i, entry in enumerate(entries):
        y = top + line * i + 5
        least = published_range(entry["published"])[0]
        low, high = (entry[end] / least for end in ("low", "high"))
        begin, end = entry["band"]
        begin, end = place((begin or 0) / least), place(end / least if end else 8)
        at, colour = entry["ours"] / least, COLOURS[entry["verdict"]]
        out.append(f'<path d="M{begin:.1f} {y}H{end:.1f}" stroke="{PALE}" stroke-width="8"/>')
        out.append(f'<text x="{left - 8}" y="{y + 3}" text-anchor="end" fill="{INK}">'
                   f'{entry["id"]}</text><path d="M{place(low):.1f} {y}H{place(high):.1f}" '
                   f'stroke="{colour}" stroke-width="1.5"/><circle cx="{place(at):.1f}" cy="{y}" '
                   f'r="3" fill="{colour}"><title>{entry["id"]}: {ours(entry)}, published '
                   f'{entry["published"]}</title></circle>')
    return "\n".join([*out, "</svg>", ""])
