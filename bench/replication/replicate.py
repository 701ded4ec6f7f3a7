"""Runs the claims of papers/claims and writes the record. bench/replicate starts it."""
import argparse
import datetime
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import adopt
import peers
import power
import records
import table
from claim_files import DEPTHS, ROOT, impossible_needs, load_or_exit
from prober import Failed, Prober, around, fault
from tolerances import VERSION, version_at
from verdicts import PROCESSES, RULES, TOO_NOISY, as_expected, judge

from markers import write_whole  # noqa: E402

# How often times are taken until the machine is quiet enough to judge them.
ATTEMPTS = 3


def stop(message):
    sys.exit(f"bench/replicate: {message}")


def run(claim, prober):
    """One entry of the record."""
    started, samples, attempts, seen = time.monotonic(), [], 0, None
    lacks = prober.missing(claim)
    while not lacks and attempts < ATTEMPTS:
        attempts += 1
        if not prober.is_timed(claim):
            samples = prober.samples(claim.probe, claim.setup)
            break
        before = prober.look()
        samples = [{**sample, "process": process} for process in range(PROCESSES)
                   for sample in prober.samples(claim.probe, claim.setup)]
        seen = around(before, prober.look())
        if not fault(seen) and judge(claim, samples).verdict != TOO_NOISY:
            break
    return records.judged(claim, {
        "id": claim.id, "run": 0, "probe": claim.probe, "setup": claim.setup, "lacks": lacks,
        "attempts": attempts, "seconds": round(time.monotonic() - started, 2), "around": seen,
        "rule": claim.rule, "samples": samples})


def selected(claims, options, prober):
    """The claims of the options; what is named by --claim runs at any depth."""
    for name, values in (("paper", {c.paper for c in claims}), ("claim", {c.id for c in claims}),
                         ("kind", {c.kind for c in claims})):
        for wanted in getattr(options, name):
            if wanted not in values:
                stop(f"no {name} {wanted}; there are: {', '.join(sorted(values))}")
    most = DEPTHS[options.depth]
    return [c for c in claims
            if (not options.paper or c.paper in options.paper)
            and (not options.kind or c.kind in options.kind)
            and (c.id in options.claim if options.claim else c.seconds <= most)
            and not (options.untimed and prober.is_timed(c))]


def measure(claims, prober, command):
    entries = []
    begin, end = ("\r\033[K", "") if sys.stderr.isatty() else ("", "\n")
    for number, claim in enumerate(claims, 1):
        print(f"{begin}[{number}/{len(claims)}] {claim.id}", end=end, file=sys.stderr, flush=True)
        entries.append(run(claim, prober))
    print(begin, end="", file=sys.stderr)
    about = {"command": command, "date": datetime.datetime.now(datetime.timezone.utc)
             .strftime("%Y-%m-%d %H:%M UTC"), "machine": prober.offers["machine"],
             "provenance": prober.offers["provenance"],
             "tolerances": VERSION if version_at("HEAD") == VERSION else ""}
    return {"runs": [about], "claims": entries}


def status(entries):
    """0: each verdict is the expected one. 1: one that nothing disturbed is not. 3: some times were
    disturbed, and then no time of the run says that a claim is wrong."""
    wrong = [e for e in entries if not as_expected(e)]
    disturbed = any(e["verdict"] == TOO_NOISY for e in entries)
    return 0 if not wrong else 3 if disturbed and all(e["around"] for e in wrong) else 1


EXIT_CODES = """exit code 0: each verdict is one that the claim's file expects, or the machine
lacks what the claim needs. 1: some verdict is another. 2: a mistake in the command. 3: other
programs disturbed some times; the claims without times are as expected."""


def arguments():
    parser = argparse.ArgumentParser(
        prog="bench/replicate", epilog=EXIT_CODES, description="Checks published claims: all but "
        "the longest, in at most fifteen minutes on two cores and the build.")
    depth = parser.add_mutually_exclusive_group()
    for name, text in (("quick", "at most two minutes after the build"), ("full", "every claim")):
        depth.add_argument(f"--{name}", dest="depth", action="store_const", const=name, help=text)
    parser.set_defaults(depth="standard")
    for name, text in (("paper", "only claims of this paper, a file of papers/claims"),
                       ("claim", "only this claim, e.g. fan-2000/overflow, however long it takes"),
                       ("kind", f"only claims of this kind: {', '.join(RULES)}")):
        parser.add_argument(f"--{name}", action="append", default=[],
                            help=text + "; may be repeated")
    parser.add_argument("--untimed", action="store_true",
                        help="only claims that no other program can disturb")
    parser.add_argument("--against", metavar="RECORD",
                        help="a record.json of another run or machine: says which verdicts "
                             "changed, and how many claims without times have the same samples")
    parser.add_argument("--out", default=ROOT / "build/replicate", type=Path,
                        help="folder for record.json and table.md (build/replicate)")
    parser.add_argument("--adopt", metavar="RECORD",
                        help="writes a record.json into papers/ and measures nothing")
    parser.add_argument("--power", action="store_true",
                        help="judges the claims again, with the published value multiplied and by "
                             "filters that have a fault; writes papers/data/power.csv and pages")
    parser.add_argument("--peer", metavar="FILE.so", action="append", default=[],
                        help="no claims, but another library's filter beside ours "
                             "(bench/peers/README.md); may be repeated")
    parser.add_argument("--list", action="store_true", help="lists the claims")
    parser.add_argument("--prober", help="a program that is built already")
    return parser.parse_args()


def judge_again(papers, claims, chosen, prober):
    """--power, with the samples of the newest record of each claim. Claims not chosen keep their
    rows."""
    entries, before = records.newest(claims), power.read()
    rows = {claim.id: before.get(claim.id, {}) for claim in claims}
    for claim in chosen:
        print(claim.id, file=sys.stderr, flush=True)
        own = entries[claim.id]["samples"] if claim.id in entries else []
        rows[claim.id] = {**power.by_factors(claim, own, prober),
                          **power.by_faults(claim, own, prober)}
    write_whole(power.PATH, power.as_text(rows))
    adopt.fill(papers, claims)
    print(f"papers/data/power.csv: of {len(rows)} claims {len(power.descriptive(rows))} notice "
          "nothing: " + ", ".join(sorted(power.descriptive(rows))))


def command_of(words):
    """As the record says it: without places on this machine."""
    text = " ".join(["bench/replicate", *words])
    return re.sub(r" --(out|prober)[ =]\S+", "", text)


def build():
    """The program that measures."""
    steps = (". .ci/packages.sh && need_packages \"${build_packages[@]}\" \"${bench_packages[@]}\""
             " && build_bench replication_prober && say \"checking claims\"")
    if subprocess.run(["bash", "-c", steps], cwd=ROOT).returncode:
        stop("it cannot be built")
    return ROOT / "build/bench/bench/replication_prober"


def main():
    options = arguments()
    papers, claims = load_or_exit()
    if options.list:
        print(table.listed(claims))
        return 0
    if options.adopt:
        adopt.adopt(options.adopt, papers, claims)
        return 0
    old = records.read(options.against, claims) if options.against else None
    prober = Prober(options.prober or build())
    if wrong := impossible_needs(claims, prober.offers["isas"]):
        stop("; ".join(wrong))
    if options.peer:
        text, code = peers.compare([os.path.abspath(file) for file in options.peer], prober)
        print(f"{text}\n\nPrinted on {prober.offers['provenance']}.")
        return code
    chosen = selected(claims, options, prober)
    if not chosen:
        stop("no claim is left to run")
    if options.power:
        judge_again(papers, claims, chosen, prober)
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    record = measure(chosen, prober, command_of(sys.argv[1:]))
    text = table.of_run(record, {claim.id: claim for claim in claims})
    write_whole(options.out / "record.json", records.as_text(record))
    write_whole(options.out / "table.md", text)
    print(text)
    if old:
        print(records.compare(*old, record))
    disturbed = [entry for entry in record["claims"] if entry["verdict"] == TOO_NOISY]
    if disturbed:
        print(f"This run was disturbed: {len(disturbed)} of its times judge nothing.")
    for entry in record["claims"]:
        if not as_expected(entry):
            print(f"not as expected: {entry['id']}: {entry['verdict']}, expected "
                  f"{' or '.join(entry['expected'])}. {entry['note']}")
    return status(record["claims"])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        stop(error)
