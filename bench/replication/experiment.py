"""Probes that run a program of bench/experiments, or read what one printed once."""
import csv
import os
import subprocess
import sys

from claim_files import ROOT


def rows(text):
    return [line for line in text.splitlines() if line.startswith("|")]


def same_rows(folder, name, page):
    """A text that says how many rows of the page's tables came out otherwise; for experiments that
    take no times."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    there = rows(text.split(f"<!-- printed: {name} -->")[1].split("<!-- end printed -->")[0])
    program = os.path.join(folder, f"experiment_{name}")
    try:
        end = subprocess.run([program], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"bench/replicate: {error}")
    here = rows(end.stdout)
    other = sum(a != b for a, b in zip(there, here)) + abs(len(there) - len(here))
    return [{"text": f"{other} rows differ"}]


def measured_once(_, file):
    """How many times as fast: 1 over each ratio of times of a table in papers/data."""
    with open(os.path.join(ROOT, file), encoding="utf-8", newline="") as table:
        lines = [line for line in table if not line.startswith("#")]
    return [{"value": 1 / float(row["ratio"])} for row in csv.DictReader(lines)]


PROBES = {"experiment": same_rows, "measured_once": measured_once}
