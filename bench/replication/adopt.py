"""Writes a record into papers/: the tables of the pages, and the record itself."""
import os
import re

import records
import table
from claim_files import ROOT, TALLIES
from verdicts import REPRODUCED, as_expected, is_judged

from markers import put, write_whole  # noqa: E402

PAPERS = os.path.join(ROOT, "papers")


def machine_name(machine):
    """Of the file of a record: vendor, family, model and stepping of the CPU."""
    parts = [machine["cpu"].split("(")[0].split()[0], *(machine[f"cpu {part}"] for part in
                                                      ("family", "model", "stepping"))]
    return re.sub(r"[^\w.]+", "-", "-".join(parts)).strip("-").lower()


def by_source(claims):
    """The claims of a paper with those of one source together, in the order of their first ones."""
    sources = dict.fromkeys(claim.source for claim in claims)
    return [claim for source in sources for claim in claims if claim.source == source]


def named(record):
    name = machine_name(record["machine"])
    return f"[{name}](record/{name}.json), commit {record['machine']['commit']}"


def outcome(entry):
    """Our value, and the verdict in bold unless it is "reproduced"."""
    if entry is None:
        return "not run on this machine yet"
    if entry["verdict"] == REPRODUCED:
        return table.ours(entry)
    return f"{table.ours(entry)}: **{entry['verdict']}**"


def section(record, entries, claims, source=""):
    """The claims of one paper, where its figures stand, and why some verdicts are not "reproduced".
    What a row shares with the row above it is left out."""
    lines = [f"Source of the figures: {source}.", ""] if source else []
    lines += table.header(["claim", "published", f"ours ({named(record)})"])
    reasons, last, above = {}, None, None
    for claim in by_source(claims):
        entry = entries.get(claim.id)
        what, _, case = claim.statement.rpartition(": ")
        text = f".. {case}" if what and what == above else claim.statement
        text += f" ({claim.source})" if claim.source != last else ""
        lines.append(table.row([f"`{claim.name}`: {text}", table.within(claim), outcome(entry)]))
        last, above = claim.source, what
        if claim.reason and (entry is None or entry["verdict"] != REPRODUCED):
            reasons.setdefault(" ".join(claim.reason.split()), []).append(f"`{claim.name}`")
    if reasons:
        lines += ["", *(f"- {', '.join(names)}: {reason}" for reason, names in reasons.items())]
    return "\n".join(lines)


def of_machine(name, record):
    machine, entries = record["machine"], record["claims"]
    told = [entry for entry in entries if is_judged(entry)]
    return (f"- [{name}](record/{name}): `{record['command']}`, {len(entries)} claims in "
            f"{sum(entry['seconds'] for entry in entries):.0f} s on {machine['cores']} cores with "
            f"{machine['memory']}; of {len(told)} verdicts {sum(map(as_expected, told))} are as "
            f"expected. {record['provenance']}.")


def tallies(record, claims):
    """Entries of the record by tally."""
    entries = {entry["id"]: entry for entry in record["claims"]}
    found = {name: [] for name in TALLIES}
    for claim in claims:
        if claim.id in entries:
            found[claim.tally].append(entries[claim.id])
    return found


def overview(record, papers, claims, found):
    """`found` are the records of all machines."""
    counts = tallies(record, claims)
    lines = [f"{len(claims)} claims of {len(papers)} papers, in three tallies that are never "
             "added:", "", *table.header(["tally", "claims", "verdicts"])]
    for name, text in TALLIES.items():
        if name != "secondary":
            lines.append(table.row([f"**{text}**" if name == "published" else text,
                                    str(len(counts[name])), table.tally(counts[name]) or "none"]))
    lines += ["", f"Listed apart and counted nowhere: {len(counts['secondary'])} claims whose "
              "figures we know from a secondary source alone.",
              "", *table.header(["paper", "claim", "published", "formulas", "promises",
                                 "secondary"])]
    for name, paper in papers.items():
        own = tallies(record, [claim for claim in claims if claim.paper == name])
        cells = [table.tally(own[tally]) for tally in TALLIES]
        lines.append(table.row([f"[{paper['name']}]({name}.md)", paper["summary"], *cells]))
    return "\n".join([*lines, "", "The records:", "", *(of_machine(*one) for one in found)])


def pages(record, papers, claims):
    """(page, name of its markers, what stands between them)."""
    entries = {entry["id"]: entry for entry in record["claims"]}
    for name, paper in papers.items():
        own = [claim for claim in claims if claim.paper == name]
        yield f"{name}.md", name, section(record, entries, own, paper.get("source", ""))
    yield "README.md", "all", overview(record, papers, claims, records.adopted(claims))


def adopt(path, papers, claims):
    record, strange = records.read(path, claims)
    if strange:
        print(f"dropped, as papers/claims has no such probe, set-up or claim: {', '.join(strange)}")
    os.makedirs(records.FOLDER, exist_ok=True)
    path = os.path.join(records.FOLDER, machine_name(record["machine"]) + ".json")
    write_whole(path, records.as_text(record))
    for page, name, text in pages(record, papers, claims):
        page = os.path.join(PAPERS, page)
        with open(page, encoding="utf-8") as file:
            filled = put(page, file.read(), f"record: {name}", "end record", text)
        write_whole(page, filled)
    print(f"written: {len(papers)} pages of papers, papers/README.md, "
          f"{os.path.relpath(path, ROOT)}")
