"""The probe `experiment`: whether a program of bench/experiments prints the tables of its page
again, cell by cell. It is for experiments that take no times."""
import os
import subprocess
import sys

from claim_files import ROOT


def rows(text):
    return [line for line in text.splitlines() if line.startswith("|")]


def samples(folder, name, page):
    """A text that says how many rows of the page's tables came out otherwise."""
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
