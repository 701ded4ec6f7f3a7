"""Records: what runs measured on one machine. An entry has the number of its run, and no verdict:
that follows from the samples and from the claims as papers/claims has them now."""
import json
import math
import re
import sys
from collections import Counter
from pathlib import Path

from claim_files import ROOT
from prober import fault
from tolerances import version_at
from verdicts import LACKS, NOT_REPRODUCED, NOT_TESTABLE, TOO_NOISY, Result, judge

FOLDER = ROOT / "papers/record"
# How far values may be apart on two machines, in relation: models take exp and log of the C library
# and long double, which has 64 bits on x86-64 and 113 on aarch64. 6e-13 was seen.
SAME = 1e-11
STORED = ("id", "run", "probe", "setup", "lacks", "attempts", "seconds", "around", "rule",
          "replaced", "samples")


def pack(samples):
    """Samples of one form as rows under names; those of "ns" follow it: ["ns", "a"]."""
    names = [[key, name] if key == "ns" else [key]
             for key in (samples[0] if samples else ())
             for name in (samples[0]["ns"] if key == "ns" else [key])]
    return {"names": names, "rows": [[s["ns"][n[1]] if n[0] == "ns" else s[n[0]] for n in names]
                                     for s in samples]}


def unpack(packed):
    samples = []
    for row in packed["rows"]:
        sample = {}
        for (key, *name), value in zip(packed["names"], row):
            if name:
                sample.setdefault(key, {})[name[0]] = value
            else:
                sample[key] = value
        samples.append(sample)
    return samples


def by_id(record):
    return {entry["id"]: entry for entry in record["claims"]}


def judged(claim, measured):
    """One entry of a record with its verdict."""
    timed = any("ns" in sample for sample in measured["samples"])
    if measured["lacks"]:
        result = Result(NOT_TESTABLE, note=LACKS + ", ".join(measured["lacks"]))
    elif timed and (why := fault(measured["around"])):
        result = Result(TOO_NOISY, note=why)
    else:
        result = judge(claim, measured["samples"])
    return {**{name: measured[name] for name in STORED if name in measured}, "kind": claim.kind,
            "newer_rule": measured["rule"] != claim.rule,
            "published": claim.published, "verdict": result.verdict, "expected": claim.expected,
            "ours": result.ours, "low": result.low, "high": result.high, "note": result.note}


def as_text(record):
    entries = [{**{name: entry[name] for name in STORED if name in entry},
                "samples": pack(entry["samples"])} for entry in record["claims"]]
    text = json.dumps({**record, "claims": entries}, separators=(",", ":"))
    return text.replace('{"id"', '\n{"id"') + "\n"


def read(path, claims):
    """(record, names of entries that papers/claims does not have as they were measured)."""
    known, strange, entries = {claim.id: claim for claim in claims}, [], []
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
        for entry in record["claims"]:
            claim = known.get(entry["id"])
            if claim is None or entry["probe"] != claim.probe or entry["setup"] != claim.setup:
                strange.append(entry["id"])
            else:
                entries.append(judged(claim, {**entry, "samples": unpack(entry["samples"])}))
    except (OSError, ValueError) as error:
        sys.exit(f"bench/replicate: {path}: {error}")
    except (IndexError, KeyError, TypeError) as error:
        sys.exit(f"bench/replicate: {path}: not a record of this version, {error!r}")
    return {**record, "claims": entries}, strange


def machine_name(machine):
    """Of the file of a record: vendor, family, model and stepping of the CPU."""
    parts = [machine["cpu"].split("(")[0].split()[0], *(machine[f"cpu {part}"] for part in
                                                      ("family", "model", "stepping"))]
    return re.sub(r"[^\w.]+", "-", "-".join(parts)).strip("-").lower()


def name_of(record):
    return machine_name(record["runs"][-1]["machine"])


def faults(record):
    """Why papers/record may not have it."""
    for run in record["runs"]:
        machine = run["machine"]
        said = (f"{machine['cpu']} (family {machine['cpu family']}, model {machine['cpu model']}, "
                f"stepping {machine['cpu stepping']})")
        if not re.fullmatch("[0-9a-f]{7,}", machine["commit"]):
            yield f"its commit is {machine['commit']}, which nobody can measure again"
        if not run["tolerances"]:
            yield "its tolerances were not committed before the run"
        if version_at(machine["commit"]) not in ("", run["tolerances"]):
            yield f"its tolerances are not those of commit {machine['commit']}"
        if name_of(record) != machine_name(machine) or said not in run["provenance"]:
            yield f"it names two machines, {name_of(record)} and {run['provenance'].split('`')[0]}"


def copied(records):
    """Claims with the same times in two records. No two machines take the same times."""
    seen, twice = set(), []
    for record in records:
        for entry in record["claims"]:
            key = json.dumps([entry["id"], entry["samples"]])
            if entry["around"] and key in seen:
                twice.append(entry["id"])
            seen.add(key)
    return twice


def read_whole(path, claims):
    """A record that has to fit papers/claims."""
    record, strange = read(path, claims)
    if strange:
        sys.exit(f"bench/replicate: {path} and papers/claims have no common {', '.join(strange)}: "
                 "another probe or set-up, or no such claim. --adopt FILE drops them")
    return record


def adopted(claims):
    """The records of all machines by file name, the newest first."""
    found = [(path.name, read_whole(path, claims)) for path in FOLDER.glob("*.json")]
    wrong = [f"{name}: {why}" for name, record in found
             for why in (*faults(record), *(name != f"{name_of(record)}.json") * ["another name"])]
    wrong += [f"two records have the same times of {name}"
              for name in copied(record for _, record in found)]
    if wrong:
        sys.exit(f"bench/replicate: papers/record: {'; '.join(wrong)}")
    return sorted(found, key=lambda pair: (pair[1]["runs"][-1]["date"], pair[0]), reverse=True)


def newest(claims):
    """{claim's id: its entry in the newest record that has it}; of a claim that only one machine
    reproduces, the entry of that machine."""
    found = {}
    for _, record in reversed(adopted(claims)):
        found.update((name, entry) for name, entry in by_id(record).items()
                     if name not in found or entry["verdict"] != NOT_REPRODUCED)
    return found


def merged(old, new):
    """The record `old` of a machine with the entries of `new` in place of its own. Of times that
    were replaced, an entry keeps how many there were, by commit: they may have been worse."""
    entries = by_id(old)
    begin = len(old["runs"])
    for e in new["claims"]:
        then = entries.get(e["id"])
        entries[e["id"]] = e = {**e, "run": e["run"] + begin}
        if then and then["around"]:
            e["replaced"] = Counter([old["runs"][then["run"]]["machine"]["commit"]])
            e["replaced"] += Counter(then.get("replaced"))
    runs = old["runs"] + new["runs"]
    kept = sorted({entry["run"] for entry in entries.values()})
    return {"runs": [runs[number] for number in kept],
            "claims": [{**entry, "run": kept.index(entry["run"])}
                       for _, entry in sorted(entries.items())]}


def same(ours, theirs):
    """Whether samples without times are the same: texts and counts exactly. Some claims have a text
    for each ISA of the machine, so texts may differ in number."""
    if all("text" in sample for sample in [*ours, *theirs]):
        return {sample["text"] for sample in ours} == {sample["text"] for sample in theirs}
    return len(ours) == len(theirs) and all(
        a.keys() == b.keys() and all(
            a[k] == b[k] or k == "value" and math.isclose(a[k], b[k], rel_tol=SAME) for k in a)
        for a, b in zip(ours, theirs))


def untimed_in_both(old, new):
    """How many claims without times both records tested, and those with other samples."""
    before = by_id(old)
    both = [(e, before[e["id"]]) for e in new["claims"] if e["id"] in before
            and not (e["around"] or e["lacks"] or before[e["id"]]["lacks"])]
    return len(both), [e["id"] for e, then in both if not same(then["samples"], e["samples"])]


def compare(old, strange, new):
    """Verdicts that changed, and how many claims without times have the very same samples.
    `strange` are entries of the old record that today's claims do not have."""
    before = by_id(old)
    lines, (both, differ) = [], untimed_in_both(old, new)
    for entry in new["claims"]:
        then = before.pop(entry["id"], None)
        if then is None:
            lines.append(f"{entry['id']}: not in the other record")
            continue
        if then["verdict"] != entry["verdict"]:
            lines.append(f"{entry['id']}: {then['verdict']} then, {entry['verdict']} now")
    lines += [f"{name}: today's claim has another probe or set-up, or is gone" for name in strange]
    if before:
        lines.append(f"{len(before)} claims of the other record were not run.")
    lines.append(f"{both - len(differ)} of {both} claims without times have the same samples, "
                 f"number by number (values of models to {SAME:g}), as on "
                 f"{old['runs'][-1]['provenance']}.")
    return "\n".join(lines)
