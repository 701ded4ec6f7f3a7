"""The tables of papers/artifact.md, from the records of papers/record."""
import glob
import json
import os

import table
from claim_files import DEPTHS, ROOT
from two_records import takes_times
from verdicts import as_expected

FOLDER = os.path.join(ROOT, "papers", "record")


def records():
    """Those of all machines by file name, the newest first."""
    found = []
    for path in glob.glob(os.path.join(FOLDER, "*.json")):
        with open(path, encoding="utf-8") as file:
            found.append((os.path.basename(path), json.load(file)))
    return sorted(found, key=lambda pair: (pair[1]["date"], pair[0]), reverse=True)


def machines(found):
    lines = table.header(["record", "CPU", "cores, memory", "kernels", "date", "code", "command",
                          "claims", "seconds", "as expected"])
    for name, record in found:
        machine, entries = record["machine"], record["claims"]
        cpu = (f"{machine['cpu']}, family {machine['cpu family']}, model {machine['cpu model']}, "
               f"stepping {machine['cpu stepping']}")
        good = sum(map(as_expected, entries))
        lines.append(table.row([
            f"[{name}](record/{name})", cpu, f"{machine['cores']}, {machine['memory']}",
            f"`{machine['best ISA']}`", record["date"], f"commit {machine['commit']}",
            f"`{record['command']}`", str(len(entries)),
            f"{sum(entry['seconds'] for entry in entries):.0f}", str(good)]))
    return lines


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
    entries = {entry["id"]: entry for entry in record["claims"]}
    lines = table.header(["claim", "verdicts expected", "in the record", "why"])
    for claim in claims:
        verdict = entries[claim.id]["verdict"] if claim.id in entries else "not run"
        if claim.expected == ["reproduced"] and verdict in ("reproduced", "not run"):
            continue
        why = " ".join(claim.reason.split()).split(". ")[0].rstrip(".")
        name = claim.id.split("/")[1]
        lines.append(table.row([f"[{claim.paper}]({claim.paper}.md) `{name}`",
                                ", ".join(claim.expected), verdict, why]))
    return lines


def text(found, claims):
    """All between the markers of the page. The verdicts and seconds are of the newest record."""
    if not found:
        return "There is no record yet."
    name, record = found[0]
    return "\n".join([
        *machines(found), "",
        f"What the runs take, by the seconds of {name}:", "", *runs(record, claims), "",
        f"Its verdicts: {table.tally(record['claims'])}. Every other verdict than \"reproduced\" "
        "that a claim may have, with the first sentence of its reason; the page of the paper has "
        "the rest:", "", *differences(record, claims)])
