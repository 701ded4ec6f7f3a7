#!/usr/bin/python3
"""Fills the measured tables of README.md and bench/pages/ from the results of bench/report, and
draws bench/results/skyline.svg.

A table stands between the lines `<!-- measured: NAME -->` and `<!-- end -->`; NAME is a key of
TABLES. What a run does not hold is written as "not measured".
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench/render"))
import skyline  # noqa: E402
from cells import bits, fpr, markdown_table, model, name, time_and_ratio  # noqa: E402
from markers import put, write_whole  # noqa: E402
from rows import (LEVELS, at_12_bits, fewest_bits, load, main_subjects,  # noqa: E402
                  nominal_sizes, size, subjects)
from svg import night_style  # noqa: E402

SKYLINE = "The filter that leaves the least time a key, near 12 bits a key"
TABLES = {"results": (lambda about: subjects(about, "contender"), LEVELS),
          "summary": (main_subjects, ("L2", "DRAM"))}  # what the README has room for


def run_of(folder):
    """(what is known of the run, its rows)."""
    try:
        about, rows = load(folder)
        keys = about["keys"]
    except (OSError, KeyError, ValueError, TypeError, AttributeError) as e:
        sys.exit(f"bench/claims.py: cannot read the run in \"{folder}\": {e!r}")
    if not rows:
        sys.exit(f"bench/claims.py: {folder}/results.csv: no rows")
    if not keys.startswith("generated"):
        sys.exit(f"bench/claims.py: {folder}: a run on {keys}; the pages show generated keys")
    return about, rows


def source(about, rows):
    depth, seed = about["depth"], rows[0]["seed"]
    command = ("bench/report" + f" --{depth}" * (depth != "standard")
               + f" --seed {seed}" * (seed != "1"))
    refused = len(about.get("complaints", []))
    return f"Measured on {about['provenance']}, with `{command}`." + (
        f" {refused} measurements of this run were refused; no times are given for them."
        if refused else "")


def lookup_times(about, rows, families, levels):
    """A row for each filter, a column for each level. The FPRs are those of the L3 size."""
    sizes = nominal_sizes(rows)
    found = {level: at_12_bits(rows, level, sizes.get(level, 0), about) for level in LEVELS}
    body = []
    for family in families:
        wanted = max(12, fewest_bits(about, family))
        own = {level: row for level, here in found.items()
               if (row := here.get(family)) and abs(row["bits_per_key"] - wanted) < 0.3}
        first = next(iter(own.values()), None)
        body.append([name(first, family), *(of(own.get("L3")) for of in (bits, fpr, model)),
                     *(time_and_ratio(own.get(level)) for level in levels)])
    heads = [f"{size(sizes[level])} ({level})" if level in sizes else level for level in levels]
    return markdown_table(["filter", "bits/key", "FPR measured", "exact model", *heads], body)


def main():
    parser = argparse.ArgumentParser(prog="bench/claims.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", metavar="DIR", help="a run of bench/report on generated keys")
    parser.add_argument("--print", action="store_true", dest="show",
                        help="print the tables, write nothing")
    options = parser.parse_args()
    about, rows = run_of(options.folder)
    # All tables are made before the first file is written.
    filled = {}
    for path in [ROOT / "README.md", *sorted(ROOT.glob("bench/pages/*.md"))]:
        filled[path] = path.read_text(encoding="utf-8")
        for of in re.findall("^<!-- measured: (.*) -->$", filled[path], re.M):
            if of not in TABLES:
                sys.exit(f"bench/claims.py: {path}: unknown marker \"{of}\" (known: "
                         f"{', '.join(TABLES)})")
            ours, levels = TABLES[of]
            table = lookup_times(about, rows, ours(about) + subjects(about, "peer"), levels)
            table += "\n\n" + source(about, rows)
            filled[path] = put(path, filled[path], f"measured: {of}", "end", table)
            if options.show:
                print(f"{path.relative_to(ROOT)}: {of}\n\n{table}\n")
    if options.show:
        return
    if drawn := skyline.skyline(about, rows, 12.7, SKYLINE, hover=False):
        filled[ROOT / "bench/results/skyline.svg"] = drawn.replace(
            "</title>", f"</title><style>{night_style([])}</style>", 1)
    for path, text in filled.items():
        write_whole(path, text)


if __name__ == "__main__":
    main()
