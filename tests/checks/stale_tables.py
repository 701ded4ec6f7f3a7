"""Measured tables that no longer measure this code: `tests/checks/release --tables` prints them.

A measured table stands between two markers of a page, `<!-- measured: NAME -->`, `<!-- printed:
NAME -->` or `<!-- record: all -->` and their end. It names the commit that it measured, and is
stale when the code it measures has changed since. The tables of papers link to that record."""
import re
import subprocess
from functools import cache
from pathlib import Path

PAGES = ("README.md", "bench/pages/*.md", "papers/*.md", "src/**/*.md")
# What every time depends on: hash, layouts, kernels, tuning, and the program that measures.
CODE = ("include/simdbloom/hash.hpp", "include/simdbloom/detail", "src/core/dispatch",
        "src/core/filters", "src/core/kernels", "src/core/layouts", "bench/harness/*.cpp",
        "bench/harness/*.hpp", "bench/touch")
# What a table measures beside that. The first part of the name is the marker.
MORE_CODE = {"measured": ("bench/subjects",), "record": ("bench/replication/*.cpp",),
             "printed hash_join": ("src/join",),
             "printed duckdb_joins": ("src/join", "src/adapters/duckdb"),
             "printed bank": ("bench/experiments/interleaved.hpp",),
             "printed bank_genomes": ("src/bank", "src/tools/kmers.hpp",
                                      *(f"bench/experiments/{name}.hpp"
                                        for name in ("exact_index", "genomes", "interleaved"))),
             "printed bank_row_groups": ("src/bank", "src/adapters/parquet"),
             "printed bank_tables": ("src/bank",)}
MARKED = re.compile(r"^<!-- (measured|printed|record(?=: all)): (\S+) -->\n(.*?)"
                    r"^<!-- end -->$", re.M | re.S)
COMMIT = re.compile(r"\b(?:commit|at|show) `?([0-9a-f]{7,40})\b(-dirty)?")


def git(root, *arguments):
    end = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    return end.stdout if end.returncode == 0 else None


def marked_tables(text):
    """("measured summary", line, text) of each pair of markers."""
    return [(f"{table[1]} {table[2]}", text.count("\n", 0, table.start()) + 1, table[3])
            for table in MARKED.finditer(text)]


@cache
def changed_lines(root, commit, paths):
    """How many lines of code have changed since, comments and empty lines left out."""
    said = git(root, "diff", "-U0", "-w", commit, "--", *paths, ":!*.md")
    return sum(1 for line in said.splitlines()
               if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")
               and line[1:].strip() and not line[1:].strip().startswith("//"))


def code_of(root, page, name):
    """The paths that a table measures."""
    paths = [*CODE, *MORE_CODE.get(name.partition(" ")[0], ()), *MORE_CODE.get(name, ())]
    if name.startswith("printed "):
        paths += [p.relative_to(root).as_posix()
                  for p in (root / "bench/experiments").glob(name.split()[1] + ".*")]
    if page.startswith("src/"):
        paths.append(str(Path(page).parent))
    return tuple(dict.fromkeys(paths))


def faults_of(root, page, name, text):
    if not (found := COMMIT.findall(text)):
        yield "names no commit"
    for commit, dirty in dict.fromkeys(found):
        if dirty:
            yield f"of {commit} with changes on top: nobody can measure that again"
        elif git(root, "merge-base", "--is-ancestor", commit, "HEAD") is None:
            yield f"of {commit}, which is no commit before this one"
        elif lines := changed_lines(root, commit, code_of(root, page, name)):
            yield f"of {commit}: {lines:,} lines of what it measures have changed since"


def missing_code(root):
    paths = sorted({*CODE, *(p for paths in MORE_CODE.values() for p in paths)})
    return [path for path in paths if not list(root.glob(path))]


def faults(root):
    """A line for each table that is stale or names no commit."""
    root = Path(root).resolve()
    for path in missing_code(root):
        yield f"the check itself: {path}, whose changes it looks for, is not there"
    if git(root, "rev-parse", "HEAD") is None:
        yield f"{root} is no git repository: no commit can be looked up"
        return
    for page in sorted({p for pattern in PAGES for p in root.glob(pattern)}):
        shown = page.relative_to(root).as_posix()
        for name, line, text in marked_tables(page.read_text()):
            for fault in faults_of(root, shown, name, text):
                yield f"{shown}:{line}: {name}: {fault}"
