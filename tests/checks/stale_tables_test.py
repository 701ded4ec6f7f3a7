#!/usr/bin/env python3
"""What `release --tables` says of a scratch repository."""
# Promise of stale_tables: A release has no measured table of older code.
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stale_tables  # noqa: E402

RELEASE = Path(__file__).resolve().parent / "release"
KERNEL = "// A comment.\nint f() {\n    return 1;\n}\n"
TABLE = "| filter | ns |\n|---|---|\n| a | 1.25 |\n| b | 2.5 |\n| c | 3 |\n"


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "-q")
        for path in {*stale_tables.CODE, *sum(stale_tables.MORE_CODE.values(), ())}:
            is_file = "." in Path(path).name
            self.write(path.replace("*", "x") if is_file else f"{path}/x.hpp", KERNEL)
        self.measured = self.commit()

    def git(self, *arguments):
        settings = ["-c", "user.name=t", "-c", "user.email=t", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *settings, *arguments], cwd=self.root, check=True,
                              capture_output=True, text=True).stdout.strip()

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def commit(self):
        self.git("add", ".")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "--short=7", "HEAD")

    def page(self, path, name, said, end="end"):
        self.write(path, f"# A page\n\n<!-- {name} -->\n\n{TABLE}\n{said}\n\n<!-- {end} -->\n")

    def faults(self):
        stale_tables.changed_lines.cache_clear()
        return list(stale_tables.faults(self.root))

    def test_a_table_of_this_code_is_fresh(self):
        self.page("README.md", "measured: summary", f"Measured at commit {self.measured}.")
        self.write("tests/x.cpp", "int main() {}\n")
        self.commit()
        self.assertEqual(self.faults(), [])

    def test_changed_code_is_counted(self):
        self.page("README.md", "measured: summary", f"commit {self.measured}")
        self.page("bench/pages/a.md", "printed: a", f"commit {self.measured}", "end printed")
        self.page("papers/b.md", "record: b", f"commit {self.measured}", "end record")
        self.write("src/core/kernels/x.hpp", KERNEL.replace("1", "2"))
        for committed in (False, True):
            if committed:
                self.commit()
            self.assertEqual(self.faults(), [
                f"{page}: of {self.measured}: 2 lines of what it measures have changed since"
                for page in ("README.md:3: measured summary", "bench/pages/a.md:3: printed a",
                             "papers/b.md:3: record b")])

    def test_comments_and_pages_are_no_code(self):
        self.page("README.md", "measured: summary", f"commit {self.measured}")
        self.write("src/core/kernels/x.hpp", "\n\n// Another one.\n" + KERNEL[len("// A comment.\n"):])
        self.write("src/core/kernels/README.md", "# Kernels\n")
        self.assertEqual(self.faults(), [])

    def test_a_table_measures_its_own_program_and_folder(self):
        for path, name, code in (
                ("bench/pages/a.md", "printed: a", "bench/experiments/a.cpp"),
                ("bench/pages/a.md", "printed: hash_join", "src/join/x.hpp"),
                ("src/adapters/python/README.md", "printed: b", "src/adapters/python/x.cpp"),
                ("README.md", "measured: summary", "bench/subjects/x.cpp"),
                ("papers/b.md", "record: b", "bench/replication/x.py")):
            with self.subTest(name):
                self.setUp()
                self.page(path, name, f"commit {self.measured}",
                          "end printed" if name.startswith("printed") else "end")
                self.write("bench/experiments/other.cpp", KERNEL)
                self.assertEqual(self.faults(), [])
                self.write(code, KERNEL + KERNEL)
                self.commit()
                self.assertEqual(len(self.faults()), 1)
                self.assertIn("lines of what it measures", self.faults()[0])

    def test_every_measured_table_names_its_commit(self):
        self.page("README.md", "measured: summary", "Measured on a machine.")
        self.assertEqual(self.faults(), ["README.md:3: measured summary: names no commit"])
        self.page("README.md", "measured: summary", f"commit {self.measured}-dirty")
        self.assertIn("with changes on top", *self.faults())
        self.page("README.md", "measured: summary", "commit 1234567")
        self.assertIn("1234567, which is no commit before this one", *self.faults())

    def test_a_commit_of_another_branch_is_none_before_this_one(self):
        self.git("checkout", "-q", "-b", "other")
        self.write("src/core/kernels/y.hpp", KERNEL)
        other = self.commit()
        self.git("checkout", "-q", "-")
        self.page("README.md", "measured: summary", f"commit {other}")
        self.assertIn("is no commit before this one", *self.faults())

    def test_tables_by_hand(self):
        self.write("bench/pages/a.md", f"# A\n\nns a key:\n\n{TABLE}")
        self.assertEqual(self.faults(), ['bench/pages/a.md:1: by hand, "A": names no commit'])
        # That of another project is none.
        self.write("bench/pages/a.md", f"# A\n\nBoost at 7eda52e:\n\n{TABLE}")
        self.assertIn("names no commit", *self.faults())
        self.write("bench/pages/a.md", f"# A\n\nAt commit {self.measured}:\n\n{TABLE}")
        self.assertEqual(self.faults(), [])
        self.write("src/core/kernels/x.hpp", "int g();\n")
        self.assertIn("have changed since", *self.faults())
        self.write("bench/pages/a.md", "# A\n\n| bytes | what |\n|---|---|\n" + 5 * "| 8 | 16 |\n")
        self.assertEqual(self.faults(), [])

    def test_what_was_tried_needs_a_commit_alone(self):
        self.write("bench/pages/tried.md", f"# A\n\nAt commit {self.measured}:\n\n{TABLE}")
        self.write("src/core/kernels/x.hpp", "int g();\n")
        self.assertEqual(self.faults(), [])
        self.write("bench/pages/tried.md", f"# A\n\n{TABLE}")
        self.assertIn("names no commit", *self.faults())

    def test_code_that_is_gone_is_missed(self):
        self.git("mv", "src/core/kernels", "src/elsewhere")
        self.assertEqual(self.faults(), ["the check itself: src/core/kernels, whose changes it looks "
                                         "for, is not there"])

    def test_the_command(self):
        self.page("README.md", "measured: summary", "Measured on a machine.")
        end = subprocess.run([RELEASE, "--tables", self.root], capture_output=True, text=True)
        self.assertEqual(end.returncode, 1)
        self.assertEqual(end.stdout, "README.md:3: measured summary: names no commit\n")
        self.page("README.md", "measured: summary", f"commit {self.measured}")
        end = subprocess.run([RELEASE, "--tables", self.root], capture_output=True, text=True)
        self.assertEqual((end.returncode, end.stdout), (0, ""))


class ThisRepository(unittest.TestCase):
    ROOT = Path(__file__).resolve().parents[2]

    def test_has_the_code_that_is_looked_at(self):
        self.assertEqual(stale_tables.missing_code(self.ROOT), [])

    def measure(self, *arguments):
        return subprocess.run([self.ROOT / "bench/measure", "--list", *arguments], cwd=self.ROOT,
                              capture_output=True, text=True)

    def test_every_measured_table_has_a_command(self):
        for pattern in stale_tables.PAGES:
            for page in self.ROOT.glob(pattern):
                marked, _ = stale_tables.marked_tables(page.read_text())
                if not marked:
                    continue
                said = self.measure(page)
                self.assertEqual((said.returncode, said.stderr), (0, ""), page)
                for name, *_ in marked:
                    kind, of = name.split()
                    wanted = {"measured": "bench/claims.py", "record": "bench/replicate --adopt",
                              "printed": "bench/predict" if of == "predict" else
                              f"bench/experiment {of}\n"}[kind]
                    self.assertIn(wanted, said.stdout)
                    if wanted.startswith("bench/experiment"):
                        self.assertTrue(list(self.ROOT.glob(f"bench/experiments/{of}.*")), name)

    def test_measure_refuses_what_is_no_page(self):
        said = self.measure("no/such.md")
        self.assertEqual(said.returncode, 2)
        self.assertIn("no/such.md", said.stderr)
        said = self.measure("LICENSE")
        self.assertEqual(said.returncode, 2)
        self.assertIn("no measured table in", said.stderr)


if __name__ == "__main__":
    unittest.main()
