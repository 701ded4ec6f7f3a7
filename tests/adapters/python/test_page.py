"""The programs of the page run, one after the other, as they stand there."""

import importlib.util
import os
import re
import tempfile
import unittest

import simdbloom
from support import ROOT

with open(ROOT + "/src/adapters/python/README.md", encoding="utf-8") as file:
    PAGE = file.read()
MISSING = [name for name in ("pandas", "matplotlib") if importlib.util.find_spec(name) is None]


class Page(unittest.TestCase):
    @unittest.skipIf(MISSING, f"not installed: {MISSING}")
    def test_programs_run(self):
        import pandas as pd
        programs = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
        self.assertEqual(len(programs), 6)
        here, names = os.getcwd(), {}
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                os.makedirs("build/report")
                pd.DataFrame({"filter": ["split256", "touch"], "op": "lookup", "batch": 16384,
                              "output": "bitmap", "memory_level": "L2",
                              "ns_per_key": [0.4, 0.3]}).to_csv("build/report/results.csv")
                for program in programs:  # each stands alone
                    alone = {}
                    exec(compile(program, "README.md", "exec"), alone)
                    names.update(alone)
                with open("fpr_against_bits.svg", encoding="utf-8") as picture:
                    self.assertIn("<svg", picture.read())
            finally:
                os.chdir(here)
        self.assertEqual(names["flags"][::3].sum(), 333334)
        self.assertLess(names["f"].estimated_fpr(), 0.006)
        self.assertIn(7, names["bank"].select(7))
        self.assertEqual(names["in_sets"].shape, (100, 512))
        self.assertIn("list", names["join"].why)
        self.assertEqual(names["semi"].total.tolist(), [2.0, 9.0])
        self.assertEqual(names["lookups"].ns_per_key.tolist(), [0.4, 0.3])

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
