"""mypy --strict takes programs that are right by the stubs, and refuses each line that is wrong."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

import simdbloom

RIGHT = """
import mmap
from pathlib import Path

import numpy as np
import simdbloom
from simdbloom import Filter, JoinBuilder, LoadError, Map, Rows

f: Filter = Filter("split256", 1000, 12, isa="scalar")
g = Filter("split256", 1000, fpr=0.01)
keys = np.arange(10)
f.insert(keys)
f.insert([1, None, 2])
f.insert(x * 2 for x in range(3))
f.insert(Rows(keys, ["a"] * 10, nulls="equal"))
f.insert(f.contains_arrow(keys))
f.insert(memoryview(b"abc"))
first: np.bool_ = f.contains(keys, out=np.empty(10, bool))[0]
n: int = f.count(["a", b"b"]) + len(f.select(keys, rows=np.arange(3, dtype=np.uint32)))
print(3 in f, "a" in f, np.int8(3) in f)
f |= g
f = f | g
Filter.from_bytes(f.to_bytes()).save(Path("x"))
Filter.view(mmap.mmap(-1, 10))
try:
    Filter.load("x")
except LoadError as error:
    print(error.fault == "checksum")
builder = JoinBuilder("auto")
builder.insert(keys)
kind: str = builder.finish().kind
values, found = Map(keys, [1] * 10).lookup(keys)
print(values.dtype, found.dtype, Map([1], [2])[1] + 1)
best = simdbloom.advise(1000, 50.0, erase=True).best
print(best.spec, simdbloom.expected_fpr("split256", 1000, 12) + 1.0)
"""
WRONG = """from simdbloom import Filter, LoadError, advise
f = Filter("split256", 1000, 12)
Filter("split256", 1000)
Filter("split256", 1000, 12, fpr=0.1)
Filter("split256", "1000", 12)
Filter("split256", 1000, 12, isa="mmx")
f.insert(5)
f.nothing
x: str = f.count([1])
advise(1000, 50.0, color=3)
f.save(3)
f | 3
LoadError("x").fault == "nonsense"
"""


@unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
class Types(unittest.TestCase):
    def test_are_those_of_the_stubs(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("right.py", RIGHT), ("wrong.py", WRONG)):
                with open(os.path.join(folder, name), "w", encoding="ascii") as f:
                    f.write(text)
            path = os.path.dirname(os.path.dirname(simdbloom.__file__))
            end = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir",
                                  os.devnull, "right.py", "wrong.py"], cwd=folder,
                                 capture_output=True, text=True, check=False,
                                 env={**os.environ, "MYPYPATH": path})
        faults = re.findall(r"^(.*): error: ", end.stdout, re.M)
        lines = WRONG.count("\n")
        self.assertEqual(sorted(set(faults)),
                         sorted(f"wrong.py:{line}" for line in range(3, lines + 1)),
                         end.stdout + end.stderr)
