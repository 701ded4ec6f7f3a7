"""The exact models, and advice by times that are measured."""

import unittest

import simdbloom
from simdbloom import Filter


class Models(unittest.TestCase):
    def test_of_great_filters_take_no_memory(self):
        self.assertLess(simdbloom.expected_fpr("split256", 10**11, 10), 0.02)

    def test_refuse_what_is_wrong(self):
        for call in (lambda: simdbloom.expected_fpr("split256", 0, 12),
                     lambda: simdbloom.expected_fpr("nonsense", 10, 12),
                     lambda: simdbloom.bits_for_fpr("split256", 10, 2)):
            self.assertRaises(ValueError, call)


class Advice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.times = simdbloom.FilterTimes.measure(100000)

    def test_is_the_least_total(self):
        advice = simdbloom.advise(100000, 1000, times=self.times)
        best = advice.best
        self.assertAlmostEqual(best.total_ns, best.lookup_ns + 1000 * best.fpr, places=6)
        self.assertIn(best.isa, simdbloom.usable_isas())
        totals = [choice.total_ns for choice in advice.ranking]
        self.assertEqual(totals, sorted(totals))
        self.assertIn(best.spec, advice.why)
        self.assertEqual(advice.as_good()[0].spec, best.spec)
        self.assertGreaterEqual(advice.noise, self.times.noise)
        made = Filter(best.spec, 100000, best.bits_per_key)
        self.assertEqual(made.size_in_bytes, best.bytes)
        self.assertIn("", [choice.spec for choice in advice.ranking])  # no filter
        erasable = simdbloom.advise(100000, 1000, erase=True, times=self.times)
        self.assertIn("cuckoo12", [choice.spec for choice in erasable.ranking])
        self.assertNotIn("split256", [choice.spec for choice in erasable.ranking])
        with self.assertRaisesRegex(ValueError, "hits"):
            simdbloom.advise(100000, 1000, hits=3, times=self.times)

    def test_measures_where_no_times_are_given(self):
        self.assertGreater(len(simdbloom.advise(1000, 50, merge=True).ranking), 5)
        self.assertRaisesRegex(ValueError, "n_keys=0", simdbloom.advise, 0, 50)
