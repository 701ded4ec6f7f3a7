"""Probes that run a program of bench/experiments."""
import os
import subprocess
import sys
from functools import cache

from claim_files import ROOT


def rows(text):
    return [line for line in text.splitlines() if line.startswith("|")]


@cache
def printed(folder, name):
    """The rows of its tables."""
    program = os.path.join(folder, f"experiment_{name}")
    try:
        end = subprocess.run([program], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"bench/replicate: {error}")
    return rows(end.stdout)


def same_rows(folder, name, page):
    """A text that says how many rows of the page's tables came out otherwise; for experiments that
    take no times."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    there = rows(text.split(f"<!-- printed: {name} -->")[1].split("<!-- end printed -->")[0])
    here = printed(folder, name)
    other = sum(a != b for a, b in zip(there, here)) + abs(len(there) - len(here))
    return [{"text": f"{other} rows differ"}]


def quotients(lines, words, column):
    """1 over the number that begins each cell of that column, in rows that have these words."""
    at = lines[0].split("|").index(f" {column} ")
    return [{"value": 1 / float(line.split("|")[at].split()[0])} for line in lines if words in line]


def faster(folder, name, words, column):
    """How many times as fast: 1 over the ratios of times that the experiment prints."""
    return quotients(printed(folder, name), words, column)


PROBES = {"experiment": same_rows, "faster_in_experiment": faster}
TIMED = "faster_in_experiment"
