"""The programs of the page run, one after the other, as they stand there."""

import importlib.util
import re
import unittest

import simdbloom
from support import ROOT

with open(ROOT + "/src/adapters/python/README.md", encoding="utf-8") as file:
    PAGE = file.read()
MISSING = importlib.util.find_spec("pandas") is None


class Page(unittest.TestCase):
    @unittest.skipIf(MISSING, "pandas is not installed")
    def test_programs_run(self):
        programs = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
        self.assertEqual(len(programs), 3)
        names = {}
        for program in programs:  # each stands alone
            alone = {}
            exec(compile(program, "README.md", "exec"), alone)
            names.update(alone)
        self.assertEqual(names["flags"][::3].sum(), 333334)
        self.assertLess(names["f"].estimated_fpr(), 0.006)
        self.assertIn(7, names["bank"].select(7))
        self.assertEqual(names["in_sets"].shape, (100, 512))
        self.assertIn("list", names["join"].why)
        self.assertEqual(names["semi"].total.tolist(), [2.0, 9.0])

    def test_names_what_there_is(self):
        table = PAGE.split("## What a filter can do")[1].split("**Threads.**")[0]
        owners = (simdbloom.Filter, simdbloom.Map, simdbloom.JoinFilter, simdbloom.JoinBuilder,
                  simdbloom.ForeignFilter, simdbloom.ConcurrentFilter, simdbloom.FilterBank,
                  simdbloom)
        known = {name for owner in owners for name in dir(owner)} | {"pickle", "simdbloom"}
        for code in re.findall(r"`([^`]*)`", table):
            for name in re.findall(r"(?:^|\.)([A-Za-z_]+)\(", code) or (
                    [code] if code.isidentifier() else []):
                self.assertIn(name, known)
