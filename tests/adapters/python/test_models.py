"""The exact models, and advice from a calibration whose times are made up."""

import os
import tempfile
import unittest

import numpy as np

import simdbloom
from simdbloom import Filter, LoadError


def calibration(isa):
    """A machine on which a lookup takes 1 ns in 1 MiB and 9 ns in 9 MiB, whatever the filter is."""
    lines = ["simdbloom calibration 2", "version " + simdbloom.__version__, "cpu made-up",
             "caches 32768 1048576 33554432", "huge_pages madvise", "date 2026-11-23",
             "build_merged_up_to 0", "noise_ppm 1000"]
    for spec in ("split256", "sector512", "register64:k=5", "blocked512:k=8", "cuckoo12"):
        for mib in (1, 9):
            lines.append(f"time_ps {isa} {spec} {mib << 20} {mib * 1000} {mib * 2000} 2000")
    text = "\n".join(lines) + "\n"
    # The checksum is XXH64 with the seed 0, as the hash of bytes in a filter.
    checksum = Filter("split256", 1, 12).hashes([text.encode()])[0]
    return text + "checksum %016x\n" % checksum


class Models(unittest.TestCase):

    def test_say_what_is_measured(self):
        n, rng = 100000, np.random.default_rng(1)
        keys = rng.integers(0, 2**63, n, dtype=np.int64)
        strangers = rng.integers(0, 2**63, 2 * 10**6, dtype=np.int64)
        for spec in ("split256", "sector512", "register64:k=5", "blocked512:k=8", "classic:k=8"):
            f = Filter(spec, n, 8)
            f.insert(keys)
            model = simdbloom.expected_fpr(spec, n, 8)
            self.assertAlmostEqual(f.count(strangers) / len(strangers) / model, 1, delta=0.05)
            self.assertAlmostEqual(f.estimated_fpr() / model, 1, delta=0.05)

    def test_size_filters(self):
        for spec in ("split256", "classic", "blocked512"):
            bits = simdbloom.bits_for_fpr(spec, 10**6, 0.001)
            self.assertLessEqual(simdbloom.expected_fpr(spec, 10**6, bits), 0.001)
            self.assertGreater(simdbloom.expected_fpr(spec, 10**6, 0.99 * bits), 0.001)

    def test_of_great_filters_take_no_memory(self):
        self.assertLess(simdbloom.expected_fpr("split256", 10**11, 10), 0.02)

    def test_refuse_what_is_wrong(self):
        for call in (lambda: simdbloom.expected_fpr("split256", 0, 12),
                     lambda: simdbloom.expected_fpr("nonsense", 10, 12),
                     lambda: simdbloom.bits_for_fpr("split256", 10, 2)):
            with self.assertRaises(ValueError):
                call()


class Advice(unittest.TestCase):

    def test_comes_from_a_file(self):
        isa = simdbloom.usable_isas()[-1]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.txt")
            with open(path, "w", encoding="ascii") as f:
                f.write(calibration(isa))
            advice = simdbloom.advise(100000, 1000, calibration=path)
            best = advice.best
            self.assertAlmostEqual(best.total_ns, best.lookup_ns + 1000 * best.fpr, places=6)
            self.assertEqual(best.isa, isa)
            totals = [choice.total_ns for choice in advice.ranking]
            self.assertEqual(totals, sorted(totals))
            self.assertIn(best.spec, advice.why)
            self.assertEqual(advice.as_good()[0].spec, best.spec)
            made = Filter(best.spec, 100000, best.bits_per_key)
            self.assertEqual(made.size_in_bytes, best.bytes)
            self.assertIn("", [choice.spec for choice in advice.ranking])  # no filter
            erasable = simdbloom.advise(100000, 1000, erase=True, calibration=path)
            self.assertIn("cuckoo12", [choice.spec for choice in erasable.ranking])
            self.assertNotIn("split256", [choice.spec for choice in erasable.ranking])
            with self.assertRaisesRegex(ValueError, "hits"):
                simdbloom.advise(100000, 1000, hits=3, calibration=path)
            with open(path, "a", encoding="ascii") as f:
                f.write("more\n")
            with self.assertRaises(LoadError):
                simdbloom.advise(100000, 1000, calibration=path)
            with self.assertRaises(FileNotFoundError):
                simdbloom.advise(100000, 1000, calibration=path + "-")

    def test_needs_a_calibration(self):
        with self.assertRaisesRegex(FileNotFoundError, "calibrate"):
            simdbloom.advise(100000, 50)


if __name__ == "__main__":
    unittest.main()
