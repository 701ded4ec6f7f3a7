"""Writes a record into papers/: the tables of the pages, and the record itself."""
import sys
from collections import Counter

import keys
import power
import records
import table
import tolerances
from claim_files import ROOT, TALLIES
from records import by_id, name_of
from verdicts import REPRODUCED, TOO_NOISY, as_expected

from markers import put, write_whole  # noqa: E402


def by_source(claims):
    """The claims of a paper with those of one source together, in the order of their first ones."""
    sources = dict.fromkeys(claim.source for claim in claims)
    return [claim for source in sources for claim in claims if claim.source == source]


def outcome(entry):
    """Our value, and the verdict in bold unless it is "reproduced"."""
    if entry is None:
        return "-"
    value = table.ours(entry, narrow=0.01)
    return value if entry["verdict"] == REPRODUCED else f"{value}: **{entry['verdict']}**"


def what_and_case(claim):
    what, _, case = claim.statement.rpartition(": ")
    return what, case


def side_by_side(claims):
    """What more than eight claims each say of some cases, if there are two such statements: a
    column each."""
    found = {}
    for claim in claims:
        what, case = what_and_case(claim)
        found.setdefault(what, {})[case, claim.source] = claim
    found = {what: own for what, own in found.items() if what and len(own) > 8}
    return found if len(found) > 1 else {}


def grid(columns, cell):
    """A row for each case, whose source is left out if it is that of the row above."""
    heads = []
    for what, own in columns.items():
        first = next(iter(own.values()))
        heads.append(f"`{first.name.partition('-')[0]}-*`: {what} ({table.within(first)})")
    body, above = [], None
    for case, source in sorted(dict.fromkeys(key for own in columns.values() for key in own),
                               key=lambda key: (key[1], key[0])):
        shown = f"`{case}`" + (f" ({source})" if source != above else "")
        body.append([shown, *(cell(own[case, source]) if (case, source) in own else ""
                              for own in columns.values())])
        above = source
    return table.markdown_table(["case", *heads], body)


def section(found, claims, source="", vague=frozenset()):
    """The claims of one paper, where its figures stand, what each record says or once what all say,
    and why some verdicts are not "reproduced". What a row shares with the row above it is left out.
    `vague`: claims that notice nothing."""
    entries, reasons = [by_id(record) for record in found], {}

    def cell(claim):
        own = [of.get(claim.id) for of in entries]
        if claim.reason and any(e and e["verdict"] != REPRODUCED for e in own):
            reasons.setdefault(" ".join(claim.reason.split()), []).append(f"`{claim.name}`")
        said = [outcome(entry) for entry in own]
        return "; ".join(said if len(set(said)) > 1 else said[:1]) if any(own) \
            else "not measured yet"

    lines = [f"Source: {source}.", ""] if source else []
    columns, body, last, above = side_by_side(claims), [], None, None
    if columns:
        lines += [grid(columns, cell), ""]
    for claim in by_source([c for c in claims if what_and_case(c)[0] not in columns]):
        what, case = what_and_case(claim)
        text = f".. {case}" if what and what == above else claim.statement
        text += f" ({claim.source})" if claim.source != last else ""
        text += " (descriptive)" if claim.id in vague else ""
        body.append([f"`{claim.name}`: {text}", table.within(claim), cell(claim)])
        last, above = claim.source, what
    names = "; ".join(map(name_of, found))
    lines.append(table.markdown_table(
        ["claim", "published", f"[{names}](README.md#the-record)"], body))
    if reasons:
        lines += ["", *(f"- {', '.join(names)}: {reason}" for reason, names in reasons.items())]
    return "\n".join(lines)


def setting(run):
    """Its machine and compiler. The record has the rest."""
    machine = run["machine"]
    return (f"{machine['cpu']}, `{machine['best ISA']}`, pages of {machine['page bytes']} bytes, "
            f"huge pages {machine['huge pages']}, {machine['compiler']} "
            f"{machine['flags'].partition(',')[0]}")


def of_machine(record, first, n_claims):
    """The line of a record in the list of records. `first` is the record of the first machine."""
    machine, entries = record["runs"][-1]["machine"], record["claims"]
    strange = sum(not as_expected(entry) for entry in entries if not entry["lacks"])
    older = [entry["id"] for entry in entries if entry["newer_rule"]
             or record["runs"][entry["run"]]["tolerances"] != tolerances.VERSION]
    again = [f"{entry['id']} ({count} before)" for entry in entries
             if (count := entry.get("replaced", {}).get(
                 record["runs"][entry["run"]]["machine"]["commit"]))]
    missing = n_claims - len(entries)
    lines = [f"- [{name_of(record)}](record/{name_of(record)}.json): all claims"
             + (f" but {missing}" if missing else "") + " in "
             f"{sum(entry['seconds'] for entry in entries):.0f} s on {machine['cores']} cores with "
             f"{machine['memory']}; "
             + (f"{strange} verdicts are not" if strange else "each verdict is") + " as expected."
             + (f" Rules younger than the run judge {len(older)}: {', '.join(older[:9])}."
                if older else "")
             + (f" Times adopted again at the same commit: {', '.join(again)}." if again else "")]
    if record is not first:
        both, differ = records.untimed_in_both(first, record)
        lines[0] += (f" {both - len(differ)} of {both} claims without times have the same samples "
                     "as on the first machine.")
    measured = {}  # how many by setting and by command, commit and day
    for entry in entries:
        run = record["runs"][entry["run"]]
        command = "" if " --claim" in run["command"] else f"`{run['command']}`, "
        day = run["machine"]["date"].split()[0]
        measured.setdefault(setting(run), Counter())[
            f"{command}commit {run['machine']['commit']}, {day}"] += 1
    for above, runs in measured.items():
        lines += [f"  - On {above}:", *(f"  - {own}: {how}" for how, own in sorted(
            runs.items(), key=lambda pair: -pair[1]))]
    return "\n".join(lines)


def others(record, claims, kinds):
    """How many verdicts are not "reproduced", by tally."""
    own = table.tallies(record, claims)
    told = {kind: [entry for entry in own[kind] if entry["verdict"] != REPRODUCED]
            for kind in kinds}
    return "; ".join(f"{kind} {table.tally(entries)}" for kind, entries in told.items() if entries)


def others_of_paper(found, claims):
    """Those of the first machine, and of each other one where what counts differs among the claims
    that it measured."""
    counted, said = [kind for kind in TALLIES if kind != "secondary"], []
    for record in found[1:]:
        measured = [claim for claim in claims if claim.id in by_id(record)]
        text = others(record, measured, counted)
        if text != others(found[0], measured, counted):
            said.append(f"{name_of(record)}: {text or 'none'}")
    return "; ".join(filter(None, [others(found[0], claims, [*TALLIES, "descriptive"]), *said]))


def overview(found, papers, claims):
    counts = [table.tallies(record, claims) for record in found]
    body = [[f"**{text}**" if name == "published" else text,
             *(f"{len(own[name])}: {table.tally(own[name])}" for own in counts)]
            for name, text in TALLIES.items() if name != "secondary"]
    lines = [f"The claims of {len(papers)} sources, in three tallies that are never added:", "",
             table.markdown_table(["tally", *map(name_of, found)], body)]
    lines += ["", f"Counted nowhere: {len(counts[0]['secondary'])} claims from a secondary source "
              f"alone, and {len(counts[0]['descriptive'])} *descriptive* ones. The verdicts of "
              f"{name_of(found[0])} that are not \"{REPRODUCED}\", and where another machine "
              "differs in what counts:", ""]
    whole, uncounted = [], []
    for name, paper in papers.items():
        of_paper = [claim for claim in claims if claim.paper == name]
        own = table.tallies(found[0], of_paper)
        said = others_of_paper(found, of_paper)
        link = f"[{paper['name']}]({name}.md)"
        if said:
            lines.append(f"- {link}, {paper['summary']}: {said}")
        elif own["published"] or own["formulas"] or own["promises"]:
            whole.append(link)
        else:
            uncounted.append(link)
    lines.append(f"- all reproduced: {'; '.join(whole)}")
    if uncounted:
        lines.append(f"- no claim that counts: {'; '.join(uncounted)}")
    return "\n".join([*lines, "", "The records, by "
                      "`bench/replicate --full --claim` where nothing else is said:", "",
                      *(of_machine(record, found[0], len(claims)) for record in found)])


def pages(found, papers, claims):
    """(page, name of its markers, what stands between them); `found`: the records of all
    machines."""
    vague = power.descriptive(power.read())
    for name, paper in papers.items():
        own = [claim for claim in claims if claim.paper == name]
        yield f"{name}.md", name, section(found, own, paper.get("source", ""), vague)
    yield "README.md", "all", overview(found, papers, claims)


def fill(papers, claims):
    """Writes the records into the pages."""
    found = [record for _, record in records.adopted(claims)]
    for page, name, text in pages(found, papers, claims):
        path = ROOT / "papers" / page
        write_whole(path, put(path, path.read_text(encoding="utf-8"), f"record: {name}", "end",
                              text))
    if found:
        keys.fill(found[0], claims)


def adopt(path, papers, claims):
    """Puts the entries of a record into that of the machine."""
    record, strange = records.read(path, claims)
    if why := list(records.faults(record)):
        sys.exit(f"bench/replicate: {path} is not adopted: {'; '.join(why)}")
    disturbed = [e["id"] for e in record["claims"] if e["verdict"] == TOO_NOISY]
    record["claims"] = [e for e in record["claims"] if e["id"] not in disturbed]
    if disturbed:
        print(f"dropped, as other programs disturbed the times: {', '.join(disturbed)}")
    kept = records.FOLDER / f"{name_of(record)}.json"
    if kept.exists() and not kept.samefile(path):
        old, gone = records.read(kept, claims)
        record, strange = records.merged(old, record), strange + gone
    if strange:
        print(f"dropped, as papers/claims has no such probe, set-up or claim: {', '.join(strange)}")
    records.FOLDER.mkdir(exist_ok=True)
    write_whole(kept, records.as_text(record))
    fill(papers, claims)
    print(f"written: {len(papers)} pages of papers, papers/README.md, papers/record/{kept.name}")
