#!/usr/bin/python3
"""Fills the measured tables of README.md and bench/pages/ from the results of bench/report, and
draws bench/results/skyline.svg.

A table stands between the lines `<!-- measured: NAME -->` and `<!-- end -->`; NAME is a key of
TABLES. What a run does not hold is written as "not measured".
"""
import argparse
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench", "render"))
import skyline  # noqa: E402
from cells import bits, fpr, markdown_table, model, name, time_and_ratio  # noqa: E402
from markers import put, write_whole  # noqa: E402
from rows import (fewest_bits, is_usual_lookup, load, main_subjects, near,  # noqa: E402
                  nominal_sizes, size, subjects)
from svg import night_style  # noqa: E402

LEVELS = ("L1", "L2", "L3", "DRAM")
SKYLINE = "The filter that leaves the least time a key, near 12 bits a key"


class Run:
    """The rows of one run of bench/report."""

    def __init__(self, folder):
        try:
            self.about, self.rows = load(folder)
            self.keys, self.depth = self.about["keys"], self.about["depth"]
            self.ours = subjects(self.about, "contender")
            self.peers = subjects(self.about, "peer")
        except (OSError, KeyError, ValueError, TypeError, AttributeError) as e:
            sys.exit(f"bench/claims.py: cannot read the run in \"{folder}\": {e!r}")
        if not self.rows:
            sys.exit(f"bench/claims.py: {folder}/results.csv: no rows")
        if not self.keys.startswith("generated"):
            sys.exit(f"bench/claims.py: {folder}: a run on {self.keys}; the pages show generated "
                     "keys")
        self.sizes = nominal_sizes(self.rows)

    def source(self):
        words = ["bench/report"] + ([f"--{self.depth}"] if self.depth != "standard" else [])
        if self.rows[0]["seed"] != "1":
            words += ["--seed", self.rows[0]["seed"]]
        text = f"Measured on {self.about['provenance']}, with `{' '.join(words)}`."
        refused = len(self.about.get("complaints", []))
        if refused:
            text += (f" {refused} measurements of this run were refused; "
                     "no times are given for them.")
        return text

    def lookup(self, family, level=None):
        """The usual lookup nearest to 12 bits a key (or the densest that a cuckoo filter has), at
        the size all filters were measured at in that level."""
        wanted = max(12, fewest_bits(self.about, family))

        def distance(row):
            return abs(row["bits_per_key"] - wanted), abs(row["filter_bytes"]
                                                          - self.sizes.get(level, 0))

        rows = [r for r in self.rows if r["family"] == family and is_usual_lookup(r, self.about)
                and abs(r["bits_per_key"] - wanted) < 0.3
                and (level is None
                     or r["memory_level"] == level and near(r, self.sizes[level]))]
        return min(rows, key=distance, default=None)


def lookup_times(run, families, levels):
    """A row for each filter, a column for each level. The FPRs are those of the L3 size."""
    body = []
    for family in families:
        rows = {level: run.lookup(family, level) for level in LEVELS}
        first = next((r for r in rows.values() if r), None)
        body.append([name(first, family), *(of(rows["L3"]) for of in (bits, fpr, model)),
                     *(time_and_ratio(rows[level]) for level in levels)])
    sizes = [f"{size(run.sizes[level])} ({level})" if level in run.sizes else level
             for level in levels]
    return markdown_table(["filter", "bits/key", "FPR measured", "exact model", *sizes], body)


TABLES = {
    "results": lambda run: lookup_times(run, run.ours + run.peers, LEVELS),
    # What the README has room for.
    "summary": lambda run: lookup_times(run, main_subjects(run.about) + run.peers,
                                        ("L2", "DRAM"))}


def main():
    parser = argparse.ArgumentParser(prog="bench/claims.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", metavar="DIR", help="a run of bench/report on generated keys")
    parser.add_argument("--print", action="store_true", dest="show",
                        help="print the tables, write nothing")
    options = parser.parse_args()
    run = Run(options.folder)
    # All tables are made before the first file is written.
    filled = {}
    for path in [os.path.join(ROOT, "README.md"),
                 *sorted(glob.glob(os.path.join(ROOT, "bench", "pages", "*.md")))]:
        with open(path, encoding="utf-8") as f:
            filled[path] = f.read()
        for of in re.findall("^<!-- measured: (.*) -->$", filled[path], re.M):
            if of not in TABLES:
                sys.exit(f"bench/claims.py: {path}: unknown marker \"{of}\" (known: "
                         f"{', '.join(TABLES)})")
            table = TABLES[of](run) + "\n\n" + run.source()
            filled[path] = put(path, filled[path], f"measured: {of}", "end", table)
            if options.show:
                print(f"{os.path.relpath(path, ROOT)}: {of}\n\n{table}\n")
    if not options.show:
        drawn = skyline.skyline(run.about, run.rows, 12.7, SKYLINE, hover=False)
        if drawn:
            night = f"</title><style>{night_style([])}</style>"
            filled[os.path.join(ROOT, "bench", "results", "skyline.svg")] = drawn.replace(
                "</title>", night, 1)
        for path, text in filled.items():
            write_whole(path, text)


if __name__ == "__main__":
    main()
