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
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench/render"))
import markers  # noqa: E402
import stale_tables  # noqa: E402

RELEASE = Path(__file__).resolve().parent / "release"
KERNEL = "// A comment.\nint f() {\n    return 1;\n}\n"
CODE = "src/core/kernels/x.hpp"
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

    def page(self, path, name, said):
        self.write(path, f"# A page\n\n<!-- {name} -->\n\n{TABLE}\n{said}\n\n<!-- end -->\n")

    def expect(self, *wanted):
        """Each fault has its words."""
        stale_tables.changed_lines.cache_clear()
        found = list(stale_tables.faults(self.root))
        self.assertEqual(len(found), len(wanted), found)
        for fault, words in zip(found, wanted):
            self.assertIn(words, fault)

    def test_a_table_is_stale_when_what_it_measures_has_changed(self):
        said = f"Measured at commit {self.measured}."
        self.page("README.md", "measured: summary", said)
        self.page("bench/pages/a.md", "printed: a", said)
        self.page("papers/b.md", "record: all", said)
        self.page("papers/c.md", "record: c", "Its commits stand in the record.")
        # Other code, comments and pages are none of it.
        self.write("tests/x.cpp", "int main() {}\n")
        self.write(CODE, "\n\n// Another one.\n" + KERNEL[len("// A comment.\n"):])
        self.write("src/core/kernels/README.md", "# Kernels\n")
        self.commit()
        self.expect()
        self.write(CODE, KERNEL.replace("1", "2"))
        for _ in range(2):
            self.expect(*(f"{page}: of {self.measured}: 2 lines of what it measures have changed"
                          for page in ("README.md:3: measured summary",
                                       "bench/pages/a.md:3: printed a",
                                       "papers/b.md:3: record all")))
            self.commit()

    def test_a_table_measures_its_own_program_and_folder(self):
        for path, name, code in (
                ("bench/pages/a.md", "printed: a", "bench/experiments/a.cpp"),
                ("bench/pages/a.md", "printed: hash_join", "src/join/x.hpp"),
                ("bench/pages/a.md", "printed: bank_genomes", "src/bank/x.cpp"),
                ("src/adapters/python/README.md", "printed: b", "src/adapters/python/x.cpp"),
                ("README.md", "measured: summary", "bench/subjects/x.cpp"),
                ("papers/b.md", "record: all", "bench/replication/x.cpp")):
            with self.subTest(name):
                self.setUp()
                self.page(path, name, f"commit {self.measured}")
                self.write("bench/experiments/other.cpp", KERNEL)
                self.expect()
                self.write(code, KERNEL + KERNEL)
                self.commit()
                self.expect("lines of what it measures")

    def test_every_measured_table_names_a_commit_before_this_one(self):
        self.git("checkout", "-q", "-b", "other")
        self.write("src/core/kernels/y.hpp", KERNEL)
        other = self.commit()
        self.git("checkout", "-q", "-")
        for said, fault in (
                ("Measured on a machine.", "README.md:3: measured summary: names no commit"),
                (f"commit {self.measured}-dirty", "with changes on top"),
                ("commit 1234567", "1234567, which is no commit before this one"),
                (f"commit {other}", "is no commit before this one")):
            self.page("README.md", "measured: summary", said)
            self.expect(fault)
            end = subprocess.run([RELEASE, "--tables", self.root], capture_output=True, text=True)
            self.assertEqual((end.returncode, fault in end.stderr), (1, True))

    def test_code_that_is_gone_is_missed(self):
        self.git("mv", "src/core/kernels", "src/gone")
        self.expect("the check itself: src/core/kernels, whose changes it looks for, is not there")


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
                marked = stale_tables.marked_tables(page.read_text())
                if not marked:
                    continue
                said = self.measure(page)
                self.assertEqual((said.returncode, said.stderr), (0, ""), page)
                for name, *_ in marked:
                    kind, of = name.split()
                    wanted = {"measured": "bench/claims.py", "record": "bench/replicate --adopt",
                              "printed": f"bench/experiment {of}\n"}[kind]
                    self.assertIn(wanted, said.stdout)
                    if wanted.startswith("bench/experiment"):
                        self.assertTrue(list(self.ROOT.glob(f"bench/experiments/{of}.*")), name)

    def test_a_page_gets_its_part_of_what_was_printed(self):
        text = "=== a.md\nof a\n\n| = |\n=== b.md\nof b\n"
        self.assertEqual(markers.part_for(text, "bench/pages/a.md"), "of a\n\n| = |")
        self.assertEqual(markers.part_for(text, "b.md"), "of b")
        self.assertEqual(markers.part_for("for all\n", "c.md"), "for all\n")
        self.assertRaises(KeyError, markers.part_for, text, "c.md")

    def test_measure_refuses_what_is_no_page(self):
        for page, words in (("no/such.md", "no/such.md"), ("LICENSE", "no measured table in")):
            said = self.measure(page)
            self.assertEqual((said.returncode, words in said.stderr), (2, True))


unittest.main()
