"""The stubs name what the module has, with the arguments that it takes."""
# Promise of python_stubs, python_wheel, python_page: Stubs, wheel and page match the Python
#   module.

import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest

import simdbloom

FOLDER = os.path.dirname(simdbloom.__file__)


class Signatures(unittest.TestCase):
    def test_have_the_defaults(self):
        self.assertEqual(str(inspect.signature(simdbloom.Map)),
                         "(keys, values, *, value_bits=None, check_bits=8, seed=0, arity=3)")
        f = simdbloom.Filter("split256", 10, 12)
        self.assertEqual(str(inspect.signature(f.insert)), "(keys, *, hashed=False)")
        self.assertEqual(str(inspect.signature(simdbloom.Filter.from_bytes)),
                         "(data, *, isa=None, secret=None, max_bytes=0)")


class Stubs(unittest.TestCase):
    def test_name_what_there_is(self):
        with open(FOLDER + "/__init__.pyi", encoding="utf-8") as file:
            stub = file.read()
        self.assertEqual(set(re.findall(r"^(?:class |def )?(\w+)[(:]", stub, re.M)),
                         set(simdbloom.__all__))

    def test_name_the_isas_of_the_library(self):
        with open(FOLDER + "/__init__.pyi", encoding="utf-8") as file:
            isas = re.search(r"^_Isa = Literal\[(.*)\]$", file.read(), re.M)[1]
        with self.assertRaises(ValueError) as wrong:
            simdbloom.Filter("split256", 1, 12, isa="mmx")
        known = re.search(r"known: (.*)\)", str(wrong.exception))[1]
        self.assertEqual(re.findall(r"\w+", isas), known.split(", "))

    def test_say_what_each_call_does(self):
        for owner in (simdbloom, *filter(inspect.isclass, vars(simdbloom).values())):
            for name in vars(owner):
                thing = getattr(owner, name)
                if inspect.isroutine(thing) and not name.startswith("_"):
                    self.assertRegex(thing.__doc__, r"^[A-Z(\'].{20,}", name)
                if isinstance(thing, property):
                    self.assertRegex(thing.__doc__ or "", r"\w{2}.*\.", f"{owner}.{name}")


RIGHT = """
import io
import mmap
import uuid
from pathlib import Path

import numpy as np
import simdbloom
from simdbloom.frames import Bloom
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
f.insert([uuid.uuid4()])
f.save(io.BytesIO())
Filter.load(io.BytesIO(), secret=b"0" * 16)
some: int | None = Map([1], [2]).get(1)
either: int | str = Map([1], [2]).get(1, "x")
semi = Bloom(object()).semi_join(3, on=["a"], exact=False)
first: np.bool_ = f.contains(keys, out=np.empty(10, bool))[0]
n: int = f.count(["a", b"b"]) + len(f.select(keys, rows=np.arange(3, dtype=np.uint32)))
print(3 in f, "a" in f, np.int8(3) in f)
f |= g
f = f | g
f += g
most: int = f.count_estimate(keys).max()
guava = simdbloom.ForeignFilter("guava", 1000, fpr=0.01)
guava.insert(keys)
print("a" in guava, guava.convert("kudu").format, f.stored + 1)
shared = simdbloom.ConcurrentFilter("split256", 1000, 12)
f |= shared.snapshot()
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
bank = simdbloom.FilterBank.for_fpr(64, 1000, 0.01)
bank.insert(3, keys)
sets: int = bank.select("a").sum() + bank.count(5) + len(bank)
per_key: np.bool_ = simdbloom.FilterBank.load("x").contains(keys)[0, 0]
simdbloom.FilterBank.of([f, g]).copy().insert(0, ["a"])
sizes: np.uint64 = simdbloom.CompactBank.for_fpr([9, 5000], 0.01).n_keys[0]
scheme = simdbloom.SchemeBloom(1000, "double", 3, hash=lambda key, seed: seed)
scheme = simdbloom.SchemeBloom(1000, [lambda key: 3])
exchange = simdbloom.FilterExchange(2, 1000, "split256", 100, 12)
took: str = exchange.take("part", 0, builder.part().to_bytes(), attempt=1)
governor = simdbloom.Governor.for_costs(5, 50)
print(governor.should_probe(10), exchange.filter.worth(50.0).pays)
simdbloom.StarProbe([exchange.filter], governor=governor).select([keys, ["a"]]).sum()
positions, missed = simdbloom.missing_at_sender(b"x", keys)
Map.map("x", secret=b"0").save("y")
best = simdbloom.advise(1000, 50.0, erase=True).best
print(best.spec, simdbloom.expected_fpr("split256", 1000, 12) + 1.0)
"""
WRONG = """import simdbloom; from simdbloom import Filter, LoadError, advise
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
simdbloom.ForeignFilter("oracle", 10, 12)
simdbloom.FilterBank.for_fpr(64, 1000)
simdbloom.FilterBank.load("x").select([1])
simdbloom.CompactBank.for_fpr(["a"], 0.01)
simdbloom.SchemeBloom(100, "double")
simdbloom.CodeTable("codes", 10)
simdbloom.ConcurrentFilter("split256", 10, 12, fpr=0.1)
simdbloom.StarProbe([f])
simdbloom.FilterExchange(2, 1000, "split256", 100, 12).take("nothing", 0)
"""


@unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
class Types(unittest.TestCase):
    """mypy --strict takes a right program, and refuses each line of a wrong one."""

    def test_are_those_of_the_stubs(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("right.py", RIGHT), ("wrong.py", WRONG)):
                with open(os.path.join(folder, name), "w", encoding="ascii") as f:
                    f.write(text)
            end = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir",
                                  os.devnull, "right.py", "wrong.py"], cwd=folder,
                                 capture_output=True, text=True, check=False,
                                 env={**os.environ, "MYPYPATH": os.path.dirname(FOLDER)})
        faults = re.findall(r"^(.*): error: ", end.stdout, re.M)
        lines = WRONG.count("\n")
        self.assertEqual(sorted(set(faults)),
                         sorted(f"wrong.py:{line}" for line in range(3, lines + 1)),
                         end.stdout + end.stderr)
