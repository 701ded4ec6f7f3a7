"""Measured tables that no longer measure this code: `tests/checks/release --tables` prints them.

A measured table stands between two markers of a page, `<!-- measured: NAME -->`, `<!-- printed:
NAME -->` or `<!-- record: NAME -->` and their end; or it is written by hand and has a unit of time.
It names the commit that it measured. It is stale when the code it measures has changed since."""
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
MORE_CODE = {"measured": ("bench/subjects",), "record": ("bench/replication",),
             "printed hash_join": ("src/join",),
             "printed duckdb_joins": ("src/join", "src/adapters/duckdb")}
# What was tried and left out, and the programs behind answered questions, are no longer there to be
# measured: a commit for the page is enough.
HISTORY = {"bench/pages/tried.md", "bench/pages/questions.md"}

BEGIN = re.compile(r"<!-- (measured|printed|record): (\S+) -->")
END = re.compile(r"<!-- end( printed| record)? -->")
COMMIT = re.compile(r"\b(?:commit|at|show) `?([0-9a-f]{7,40})\b(-dirty)?")
TIME = re.compile(r"\b(ns|µs|ms|seconds)\b|\|s\||GB/s", re.I)


def git(root, *arguments):
    end = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    return end.stdout if end.returncode == 0 else None


def marked_tables(text):
    """("measured summary", line, text) of each pair of markers, and the rest of the page."""
    tables, rest, name = [], [], None
    for number, line in enumerate(text.split("\n"), 1):
        begin = BEGIN.match(line)
        if begin:
            name, opened, inside = f"{begin[1]} {begin[2]}", number, []
        elif name and END.match(line):
            tables.append((name, opened, "\n".join(inside)))
            name = None
        elif name:
            inside.append(line)
        rest.append("" if begin or name or END.match(line) else line)
    return tables, "\n".join(rest)


def is_timed(table, before):
    """Whether there are numbers, and a unit of time in the header or in the paragraph before."""
    header, *rows = ([c.strip() for c in line.strip("|").split("|")] for line in table)
    numbers = sum(bool(re.match(r"[<~]?[0-9]", c)) for row in rows for c in row[1:])
    words = " ".join([f"|{c}|" for c in header] + before)
    return numbers > 2 and TIME.search(re.sub("`[^`]*`", "", words)) is not None


def tables_by_hand(rest):
    """(heading, line, text) of each section with a table of times."""
    at = 1
    for section in re.split(r"^(?=#+ )", rest, flags=re.M):
        table, before, timed = [], [], False
        for line in section.split("\n") + [""]:
            if line.startswith("|"):
                table.append(line)
                continue
            if table:
                timed = timed or is_timed(table, before)
                table, before = [], []
            elif before and not before[-1] and line:
                before = []
            before.append(line)
        if timed:
            yield section.split("\n")[0].lstrip("# "), at, section
        at += section.count("\n")


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
        elif page not in HISTORY and (
                lines := changed_lines(root, commit, code_of(root, page, name))):
            yield f"of {commit}: {lines:,} lines of what it measures have changed since"


def ours(root, text):
    """The text without commits that this repository does not have: those of other projects."""
    return COMMIT.sub(lambda m: m[0] if git(root, "cat-file", "-e", m[1] + "^{commit}") is not None
                      else "", text)


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
        shown, (marked, rest) = page.relative_to(root).as_posix(), marked_tables(page.read_text())
        for name, line, text in marked:
            for fault in faults_of(root, shown, name, text):
                yield f"{shown}:{line}: {name}: {fault}"
        for heading, line, text in tables_by_hand(rest):
            for fault in faults_of(root, shown, "", ours(root, rest if shown in HISTORY else text)):
                yield f'{shown}:{line}: by hand, "{heading}": {fault}'
