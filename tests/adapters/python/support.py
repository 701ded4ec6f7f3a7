"""What the tests of the Python package share."""

import importlib.util
import os
import re

import numpy as np

from simdbloom import Filter

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def optional(name):
    """The module, or None where it is not installed."""
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def of(keys, **options):
    f = Filter("split256", 10000, 30, **options)
    f.insert(keys)
    return f


def aligned(f):
    """The bytes of the filter at a multiple of 64."""
    data = np.frombuffer(f.to_bytes(), np.uint8)
    memory = np.empty(len(data) + 64, np.uint8)
    buffer = memory[-memory.ctypes.data % 64:][:len(data)]
    buffer[:] = data
    return buffer


def kinds_table():
    """{kind of a filter: the kinds of questions that it answers, its own among them}, as
    src/core/filters/kinds.md says, which is the rule that all front ends follow."""
    with open(ROOT + "/src/core/filters/kinds.md", encoding="utf-8") as page:
        rows = [line.split("|")[1:4] for line in page if line.startswith("| `")]
    return {re.findall("`(.*?)`", kind)[0]: set(re.findall("`(.*?)`", kind + answers))
            for kind, _, answers in rows}
