"""The tables of papers/artifact.md, from the records of papers/record."""
import table
from claim_files import DEPTHS
from two_records import takes_times
from verdicts import as_expected, is_judged


def machines(found):
    lines = table.header(["record", "cores, memory", "command", "claims", "seconds", "judged",
                          "as expected"])
    for name, record in found:
        machine, entries = record["machine"], record["claims"]
        told = [entry for entry in entries if is_judged(entry)]
        lines.append(table.row([
            f"[{name}](record/{name})", f"{machine['cores']}, {machine['memory']}",
            f"`{record['command']}`", str(len(entries)),
            f"{sum(entry['seconds'] for entry in entries):.0f}", str(len(told)),
            str(sum(map(as_expected, told)))]))
    return [*lines, "", *(f"- {name}: {record['provenance']}." for name, record in found)]


def runs(record, claims):
    """What each depth takes, by the seconds of a record that has them all."""
    options = {"quick": " --quick", "standard": "", "full": " --full"}
    entries = {entry["id"]: entry for entry in record["claims"]}
    lines = table.header(["command", "claims", "seconds", "of which times"])
    for depth, most in DEPTHS.items():
        ran = [entries[c.id] for c in claims if c.id in entries and c.seconds <= most]
        timed = sum(entry["seconds"] for entry in ran if takes_times(entry))
        lines.append(table.row([f"`bench/replicate{options[depth]}`", str(len(ran)),
                                f"{sum(entry['seconds'] for entry in ran):.0f}", f"{timed:.0f}"]))
    return lines


def differences(record, claims):
    """The claims that may have, or have in this record, another verdict than reproduced."""
    entries, found = {entry["id"]: entry for entry in record["claims"]}, {}
    for claim in claims:
        verdict = entries[claim.id]["verdict"] if claim.id in entries else "not run"
        if claim.descriptive or claim.expected == ["reproduced"] and verdict in ("reproduced",
                                                                               "not run"):
            continue
        expected = ", ".join(claim.expected)
        both = verdict if verdict == expected else f"{verdict} (expected: {expected})"
        found.setdefault((claim.paper, both), []).append(f"`{claim.name}`")
    return [*table.header(["claims", "in the record"]),
            *(table.row([f"[{paper}]({paper}.md) {', '.join(names)}", both])
              for (paper, both), names in found.items())]


def text(found, claims):
    """All between the markers of the page. The verdicts and seconds are of the newest record."""
    if not found:
        return "There is no record yet."
    name, record = found[0]
    return "\n".join([
        *machines(found), "",
        f"What the runs take, by the seconds of {name}:", "", *runs(record, claims), "",
        "The claims with another verdict than \"reproduced\", expected or found:", "",
        *differences(record, claims)])
