"""The programs of the page run, one after the other, as they stand there."""

import importlib.util
import os
import re
import tempfile
import unittest


MISSING = [name for name in ("pandas", "matplotlib") if importlib.util.find_spec(name) is None]

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


class Page(unittest.TestCase):

    @unittest.skipIf(MISSING, f"not installed: {MISSING}")
    def test_programs_run(self):
        import pandas as pd
        with open(ROOT + "/src/adapters/python/README.md", encoding="utf-8") as page:
            programs = re.findall(r"^```python\n(.*?)^```", page.read(), re.M | re.S)
        self.assertEqual(len(programs), 4)
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
        self.assertIn("list", names["join"].why)
        self.assertEqual(names["lookups"].ns_per_key.tolist(), [0.4, 0.3])

if __name__ == "__main__":
    unittest.main()
