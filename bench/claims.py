#!/usr/bin/python3
"""Fills the measured tables of README.md, papers/ and bench/pages/ from the results of
bench/report.

usage: claims.py DIR [--words DIR] [--print]

  DIR          folder of a run on generated keys (results.csv, machine.json)
  --words DIR  folder of a run with --keys, for the table `words`; without it that table stays
  --print      print the tables instead of writing them

A table stands between the lines `<!-- measured: NAME -->` and `<!-- end -->`; NAME is one of the
functions marked @table in bench/tables. What a run does not hold is written as "not measured in
this run". bench/results/skyline.svg is drawn from DIR too.
"""
import argparse
import glob
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench", folder) for folder in ("harness", "pictures", "tables")]
import papers  # noqa: E402,F401
import skyline  # noqa: E402
from pages import TABLES  # noqa: E402
from rows import write_whole  # noqa: E402
from run import Run, fail  # noqa: E402

SKYLINE = "The filter that leaves the least time a key, near 12 bits a key"


def fill(path, text, run, words_run, show):
    """The text with every table replaced."""
    out, name, opened = [], None, 0
    for number, line in enumerate(text.split("\n"), 1):
        start = line.strip().startswith("<!-- measured:")
        if start and name is not None:
            fail(f"{path}:{number}: a marker inside the marker of line {opened}, "
                 "which has no <!-- end -->")
        if start:
            name = line.strip()[len("<!-- measured:"):].removesuffix("-->").strip()
            opened = number
            if name not in TABLES:
                known = ", ".join(TABLES)
                fail(f"{path}:{number}: unknown marker \"{name}\" (known: {known})")
            out.append(line)
            chosen = words_run if name == "words" else run
            if chosen:
                made = TABLES[name](chosen) + "\n\n" + chosen.source()
                if show:
                    print(f"{path}: {name}\n\n{made}\n")
                out += ["", made, ""]
        elif line.strip() == "<!-- end -->":
            if name is None:
                fail(f"{path}:{number}: <!-- end --> without <!-- measured: NAME -->")
            out.append(line)
            name = None
        elif name is None or not (words_run if name == "words" else run):
            out.append(line)
    if name is not None:
        fail(f"{path}:{opened}: <!-- measured: {name} --> has no <!-- end -->")
    return "\n".join(out)


def write(path, text):
    try:
        write_whole(path, text)
    except OSError as e:
        fail(f"cannot write \"{path}\": {e.strerror}")


def main():
    parser = argparse.ArgumentParser(
        prog="bench/claims.py",
        description="Fills the measured tables of README.md, papers/ and bench/pages/.")
    parser.add_argument("folder", metavar="DIR", help="a run of bench/report on generated keys")
    parser.add_argument("--words", metavar="DIR", help="a run of bench/report with --keys")
    parser.add_argument("--print", action="store_true", dest="show",
                        help="print the tables, write nothing")
    options = parser.parse_args()
    run = Run(options.folder, real_keys=False)
    words_run = Run(options.words, real_keys=True) if options.words else None
    pages = [path for folder in ("papers", os.path.join("bench", "pages"))
             for path in sorted(glob.glob(os.path.join(ROOT, folder, "*.md")))]
    if not pages:
        fail(f"no pages in \"{os.path.join(ROOT, 'papers')}\"")
    # All tables are made before the first file is written.
    filled = []
    for path in [os.path.join(ROOT, "README.md")] + pages:
        try:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        except OSError as e:
            fail(f"cannot read \"{path}\": {e.strerror}")
        shown = os.path.relpath(path, ROOT)
        filled.append((path, text, fill(shown, text, run, words_run, options.show)))
    if not options.show:
        for path, before, after in filled:
            if before != after:
                write(path, after)
        drawn = skyline.skyline(run.about, run.rows, 12.7, SKYLINE)
        if drawn:
            write(os.path.join(ROOT, "bench", "results", "skyline.svg"), drawn)


if __name__ == "__main__":
    main()
