#!/usr/bin/python3
"""report_parts.py SOURCE_DIR: what compares two runs, and what the plots are made of."""
import contextlib
import io
import os
import sys
import tempfile
import unittest
import xml.dom.minidom

BENCH = os.path.join(sys.argv.pop(1), "bench")
sys.path[:0] = [os.path.join(BENCH, folder) for folder in ("harness", "pictures")]
import against  # noqa: E402
import page  # noqa: E402
import plots  # noqa: E402
import sections  # noqa: E402
import skyline  # noqa: E402
import svg  # noqa: E402

COLUMNS = ("filter isa op batch output n_keys filter_bytes hit_ratio threads ns_per_key ns_low "
           "ns_high cpu cpu_family cpu_model touch_moved disturbed").split()


def row(filter_, ns, spread=0.01, **other):
    values = {"filter": filter_, "isa": "avx2", "op": "lookup", "batch": 16384, "output": "bitmap",
              "n_keys": 1000, "filter_bytes": 1500, "hit_ratio": 0, "threads": 1, "ns_per_key": ns,
              "ns_low": ns * (1 - spread), "ns_high": ns * (1 + spread), "cpu": "A",
              "cpu_family": 6, "cpu_model": 1, "touch_moved": 0, "disturbed": 0}
    return [str((values | other)[name]) for name in COLUMNS]


class Against(unittest.TestCase):
    def run_on(self, old, new, columns=COLUMNS):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, rows in (("old.csv", old), ("new.csv", new)):
                paths.append(os.path.join(folder, name))
                if rows is not None:
                    with open(paths[-1], "w", encoding="utf-8") as f:
                        f.write("\n".join(",".join(r) for r in [columns, *rows]) + "\n")
            out, error = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
                code = against.main(*paths)
            return code, out.getvalue(), error.getvalue()

    def test_slower_and_faster_are_sorted_by_ratio(self):
        old = [row("a", 1), row("b", 1), row("c", 1), row("d", 1)]
        new = [row("a", 1.2), row("b", 0.5), row("c", 1.01), row("d", 2)]
        code, out, _ = self.run_on(old, new)
        self.assertEqual(code, 1)
        lines = [line.split() for line in out.splitlines()]
        self.assertEqual([(line[0], line[3], line[-1]) for line in lines[1:4]],
                         [("2.000", "d", "slower"), ("1.200", "a", "slower"),
                          ("0.500", "b", "faster")])
        self.assertIn("4 rows in both runs: 2 slower, 1 faster, 1 within noise", out)

    def test_nothing_slower_is_0(self):
        self.assertEqual(self.run_on([row("a", 1)], [row("a", 0.5)])[0], 0)
        self.assertEqual(self.run_on([row("a", 1)], [row("a", 1)])[0], 0)

    def test_noise(self):
        for old, new in (
                (row("a", 1, 0.1), row("a", 1.15, 0.1)),    # the intervals meet
                (row("a", 1), row("a", 1.04)),              # addresses of memory
                (row("a", 1, threads=2), row("a", 1.15, threads=2)),
                (row("a", 1), row("a", 1.13, touch_moved=0.09)),
                (row("a", 1), row("a", 3, touch_moved=0.5, disturbed=1))):
            self.assertEqual(self.run_on([old], [new])[0], 0, new)
        self.assertEqual(self.run_on([row("a", 1)], [row("a", 1.15)])[0], 1)

    def test_only_equal_keys_are_paired(self):
        for name, value in (("isa", "neon"), ("op", "insert"), ("batch", 8), ("output", "count"),
                            ("n_keys", 2000), ("filter_bytes", 2000), ("hit_ratio", 0.5),
                            ("threads", 2)):
            code, _, error = self.run_on([row("a", 1)], [row("a", 9, **{name: value})])
            self.assertEqual(code, 2, name)
            self.assertIn("no row in common", error)

    def test_what_cannot_be_compared_is_named(self):
        code, _, error = self.run_on([row("a", 1)], [row("a", 1, cpu="B")])
        self.assertEqual(code, 2)
        self.assertIn('cpu was "A", now "B"', error)
        for old, said in (([], "has no rows"), (None, "cannot read"),
                          ([row("a", 1, ns_low="x")], 'line 2: ns_low is "x"'),
                          ([row("a", 1, ns_high=-1)], "line 2: ns_high")):
            code, _, error = self.run_on(old, [row("a", 1)])
            self.assertEqual(code, 2)
            self.assertIn(said, error)
        code, _, error = self.run_on([row("a", 1)], [row("a", 1)], ["x"] * len(COLUMNS))
        self.assertEqual(code, 2)
        self.assertIn("no column filter", error)


class Plots(unittest.TestCase):
    def test_names_are_pushed_apart_as_little_as_possible(self):
        self.assertEqual(svg.spread_out([10, 50, 90], 14, 0, 100), [10, 50, 90])
        self.assertEqual(svg.spread_out([50, 50], 10, 0, 100), [45, 55])
        self.assertEqual(svg.spread_out([99, 0, 98], 10, 0, 100), [100, 0, 90])
        placed = sorted(svg.spread_out([3, 1, 2, 90, 2.5], 10, 0, 100))
        self.assertTrue(all(b - a >= 10 for a, b in zip(placed, placed[1:])))
        self.assertGreaterEqual(placed[0], 0)

    def test_text_is_dark_enough(self):
        for colour in ("#9ecae1", "#98df8a", "#ffffff", "#000000"):
            self.assertLessEqual(svg.luminance(svg.readable(colour)), 0.18)

    def test_the_front_leaves_out_what_another_filter_beats(self):
        points = [{"fpr": f, "ns_per_key": t} for f, t in
                  ((0.01, 1), (0.001, 3), (0.02, 1), (0.005, 3.5), (0.005, 2))]
        self.assertEqual([(r["fpr"], r["ns_per_key"]) for r in plots.front(points)],
                         [(0.001, 3), (0.005, 2), (0.01, 1)])

    def test_the_least_time_changes_where_two_lines_meet(self):
        steps = skyline.best_at([("no filter", 0.0, 1.0, None), ("quick", 1.0, 0.01, 1),
                                 ("exact", 3.0, 0.001, 1), ("worse", 4.0, 0.02, 1)])
        self.assertEqual([name for _, (name, *_) in steps], ["no filter", "quick", "exact"])
        self.assertAlmostEqual(steps[1][0], 1 / 0.99)     # t_l = (1 - f) t_w
        self.assertAlmostEqual(steps[2][0], 2 / 0.009)

    def test_nothing_is_drawn_past_sizes_of_others(self):
        def at(n, ns):
            return n, {"filter_bytes": n * 1.5, "bits_per_key": 12, "ns_per_key": ns, "fpr": 0.01}

        ends = [at(1000, 1), at(100000, 4)]
        ns, fpr, _ = skyline.between(ends, 10000, {1500, 150000}, 12)
        self.assertAlmostEqual(ns, 2)
        self.assertAlmostEqual(fpr, 0.01)
        self.assertIsNone(skyline.between(ends, 10000, {1500, 15000, 150000}, 12))
        self.assertIsNone(skyline.between(ends, 300000, {1500, 150000}, 12))

    def test_what_was_not_measured_is_hatched(self):
        about, rows = self.measured(dram=("quick", "exact"))
        drawn = skyline.skyline(about, rows, 12.7)
        self.assertNotIn("not measured", drawn)
        about, rows = self.measured(dram=("quick",))
        drawn = skyline.skyline(about, rows, 12.7)
        said = [t[:t.index("</title>")] for t in drawn.split("<title>")[2:]]
        missing = [t for t in said if "not measured" in t]
        self.assertTrue(missing)
        for title in missing:
            self.assertIn("; exact may leave the least time, and was measured up to 8 MiB", title)
        # With little to spare it would not, for its lookups take longer than in L3.
        beyond = [t for t in said if "million keys" in t and float(t.split()[0]) > 6.6]
        self.assertFalse([t for t in beyond if "spared: exact" in t])
        for answer in ("no filter", "quick", "not measured"):
            self.assertTrue([t for t in beyond if "spared: " + answer in t], answer)
        self.assertNotIn("url(", drawn)
        xml.dom.minidom.parseString(drawn)

    def test_the_table_of_the_skyline(self):
        about, rows = self.measured(dram=("quick",))
        # A second size of the same level.
        rows += [r | {"filter_bytes": r["filter_bytes"] * 1.05, "fpr": r["fpr"] * 0.999,
                      "ns_per_key": r["ns_per_key"] * 1.01} for r in rows if r["family"] == "exact"]
        body = skyline.winners(about, rows, 12.7)
        self.assertEqual([line[0] for line in body],
                         ["16 KiB (L1)", "256 KiB (L2)", "8 MiB (L3)", "256 MiB (DRAM)"])
        for line in body:
            for name in ("`split256`", "`quick`", "`exact`"):
                self.assertLessEqual(line[1].count(name), 1, line)
        self.assertEqual([line[2] for line in body], ["-", "-", "-", "`exact`"])

    @staticmethod
    def measured(dram):
        """Three filters, of which split256 and those of `dram` were measured in DRAM."""
        sizes = {"L1": 16 << 10, "L2": 256 << 10, "L3": 8 << 20, "DRAM": 256 << 20}
        rows = [{"family": name, "filter": name, "role": "contender", "op": "lookup", "isa": isa,
                 "hit_ratio": 0, "threads": 1, "output": "bitmap", "batch": 16384,
                 "takes_batches": True, "memory_level": level, "filter_bytes": bytes_,
                 "bits_per_key": 12, "n_keys": bytes_ * 8 / 12, "fpr": fpr,
                 "ns_per_key": ns * (1 + i)}
                for name, ns, fpr in (("split256", 1.5, 0.02), ("quick", 1, 0.01),
                                      ("exact", 2, 0.001))
                for i, (level, bytes_) in enumerate(sizes.items())
                if level != "DRAM" or name == "split256" or name in dram
                for isa in ("avx2", "scalar")]
        return {"best_isa": "avx2", "levels": {"L2": 1 << 20}, "subjects": [
            {"name": name, "colour": "#123456"} for name in ("split256", "quick", "exact")]}, rows

    def test_builds_that_end_before_a_thread_starts_are_left_out(self):
        def build(output, n_keys, ns):
            return {"op": "build", "filter": "split256", "n_keys": n_keys, "filter_bytes": n_keys,
                    "memory_level": "L1", "output": output, "ns_per_key": ns}

        rows = [build("serial", 10000, 1), build("atomic", 10000, 25)]
        self.assertEqual(sections.section_builds(rows), "")
        rows += [build("serial", 4000000, 1), build("atomic", 4000000, 0.5)]
        said = sections.section_builds(rows)
        self.assertIn("| 2.00 |", said)
        self.assertNotIn("0.04", said)

    def test_pictures_are_xml(self):
        picture = svg.Picture(100, 50, "a < b & \"c\"")
        for shape in svg.MARKERS:
            picture.marker(shape, 10, 10, "#123456", "x < y")
        picture.names_at_ends([(10, 10, "a&b", "#9ecae1"), (12, 11, "c", "#123456")], 0, 50)
        xml.dom.minidom.parseString(picture.done())

    def test_tables_are_html(self):
        made = page.to_html("| a | b |\n|---|---|\n| `x` at 5 < 6 | 1.5 |\n\ntext `y`")
        self.assertIn("<td><code>x</code> at 5 &lt; 6</td><td class=n>1.5</td>", made)
        self.assertIn("<p>text <code>y</code></p>", made)


if __name__ == "__main__":
    unittest.main()
