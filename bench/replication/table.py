"""The table of a run, and the tally of its verdicts."""
from collections import Counter

import power
from claim_files import TALLIES
from records import by_id
from verdicts import VERDICTS, as_expected

from cells import markdown_table


def number(value):
    return f"{value:.4g}"


def ours(entry, narrow=0.0):
    """What a run gave, with the 90 % interval unless it lies within a share `narrow` of the value.
    """
    if entry["note"] == entry["published"]:
        return "equal"
    if entry["ours"] is None or entry["kind"] == "order":
        return entry["note"]
    text = number(entry["ours"])
    off = max(entry["high"] - entry["ours"], entry["ours"] - entry["low"])
    if off > narrow * abs(entry["ours"]):
        text += f" [{number(entry['low'])}, {number(entry['high'])}]"
    return text + (f", {entry['note']}" if entry["note"] else "")


def published(claim):
    return claim.published + (f" {claim.unit}" if claim.unit else "")


def within(claim):
    """The published value, with a bound's side and a tolerance that its kind does not say. Of a
    long list the first row."""
    first, *others = claim.published.split("; ")
    if len(others) > 2:
        return f"{first}; .. ({1 + len(others)} rows)"
    side = f"at {claim.side} " if claim.kind == "bound" else ""
    own = f" ± {claim.tolerance_text}" if claim.tolerance else ""
    return side + published(claim) + own


def tally(entries):
    """One line: how many claims have each verdict."""
    counts = Counter(entry["verdict"] for entry in entries)
    return ", ".join(f"{counts[v]} {v}" for v in VERDICTS if counts[v])


def tallies(record, claims):
    """The entries of the record by tally; claims that notice nothing are a group of their own."""
    entries, vague = by_id(record), power.descriptive(power.read())
    found = {name: [] for name in (*TALLIES, "descriptive")}
    for claim in claims:
        if claim.id in entries:
            name = "descriptive" if claim.id in vague and claim.how != "secondary" else claim.tally
            found[name].append(entries[claim.id])
    return found


def listed(claims):
    return "\n".join(f"{claim.id:48}{claim.kind:13}{claim.seconds:6.1f} s  {claim.statement}"
                     for claim in claims)


def of_run(record, claims):
    body = []
    for entry in record["claims"]:
        claim = claims[entry["id"]]
        flag = "" if as_expected(entry) else " (not as expected)"
        body.append([entry["id"], claim.how, claim.kind, published(claim), ours(entry),
                     claim.tolerance_text, entry["verdict"] + flag])
    table = markdown_table(["claim", "source", "kind", "published", "ours", "tolerance", "verdict"],
                           body)
    counts = tallies(record, claims.values())
    lines = [f"- {TALLIES.get(name, name)}: {tally(own)}" for name, own in counts.items() if own]
    return "\n".join([table, "", *lines, "",
                      *(f"Printed on {run['provenance']}, by `{run['command']}`."
                        for run in record["runs"]), ""])
