"""The table of a run, the tally of its verdicts, and the forest plot."""
from collections import Counter

from claim_files import ROOT
from verdicts import (DIFFERS, DIRECTION, NOT_REPRODUCED, REPRODUCED, VERDICTS, as_expected,
                      published_range)

from svg import GREY, INK, PALE, Axis, Picture  # noqa: E402

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
    line, top = 13, 46
    height = top + line * len(entries) + 14
    picture, axis = Picture(660, height, "Claims: ours over published"), Axis(1 / 8, 8, 270, 640)
    picture.label(8, 16, "Ours over published, 90 % interval; grey: where it has to lie; what is "
                  "beyond 1/8 and 8 is at the edge", INK, 12, "start")
    x = 8
    for verdict in dict.fromkeys(sorted((e["verdict"] for e in entries), key=VERDICTS.index)):
        picture.label(x, 31, f"● {verdict}", COLOURS[verdict], anchor="start")
        x += 8 * len(verdict) + 22
    for mark in (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8):
        at = axis.at(mark)
        picture.line(at, top - 4, at, height - 14, GREY if mark == 1 else PALE)
        picture.label(at, height - 3, f"{mark:g}")

    def place(value):
        return axis.at(min(8, max(1 / 8, value)))

    for y, entry in enumerate(entries):
        y, colour = top + line * y + 5, COLOURS[entry["verdict"]]
        least, (begin, end) = published_range(entry["published"])[0], entry["band"]
        at, low, high = (place(entry[name] / least) for name in ("ours", "low", "high"))
        picture.line(place((begin or 0) / least), y, place(end / least if end else 8), y, PALE, 8)
        picture.label(262, y + 3, entry["id"], INK, anchor="end")
        picture.line(low, y, high, y, colour, 1.5)
        picture.marker("circle", at, y, colour,
                       f"{entry['id']}: {ours(entry)}, published {entry['published']}", 3)
    return picture.done()
