"""Filters by spec: arrays in, arrays out, sets and errors; models and advice."""

import pickle

import numpy as np

import simdbloom
from simdbloom import Filter, Map
from support import Case

SPECS = ("split256 sector512 register64 register32 blocked512 classic zoned512 cuckoo8 cuckoo12 "
         "cuckoo16 counting counting512 dleft12 growing16 scalable").split()
ERASABLE = "cuckoo12 counting counting512 dleft12 growing16".split()


def filled(spec="split256", keys=None, **options):
    keys = np.arange(1000, dtype=np.int64) if keys is None else keys
    f = Filter(spec, max(1, len(keys)), 48 if "counting" in spec else 24, **options)
    f.insert(keys)
    return f


class EverySpec(Case):
    def test_finds_its_keys_in_every_form(self):
        keys = np.arange(5000, dtype=np.uint64) * 77 + 5
        probe = np.concatenate([keys, np.arange(10**9, 10**9 + 5000, dtype=np.uint64)])
        for spec in SPECS:
            with self.subTest(spec):
                f = filled(spec, keys)
                flags = f.contains(probe)
                self.assertEqual(flags.dtype, bool)
                self.assertTrue(flags[:5000].all())
                self.assertLess(flags[5000:].mean(), 0.05)
                rows = f.select(probe)
                self.assertEqual(rows.dtype, np.uint32)
                self.same(rows, np.flatnonzero(flags))
                bits = np.unpackbits(f.bitmap(probe), bitorder="little")
                self.same(bits, flags)
                self.assertEqual(f.count(probe), flags.sum())
                for i in (0, 4999, 5000, 9999):
                    self.assertEqual(int(probe[i]) in f, flags[i])
                self.assertLess(f.expected_fpr(), 0.05)
                self.assertTrue(spec in f.spec, f.spec)

    def test_that_erases(self):
        keys = np.arange(1000)
        for spec in ERASABLE:
            with self.subTest(spec):
                f = filled(spec, keys)
                self.assertEqual(f.erase(keys[:600]), 600)
                self.assertEqual(f.count(keys[600:]), 400)
                self.assertLess(f.count(keys[:600]), 60)
                self.assertTrue(f.discard(700))
                f.clear()
                self.assertEqual(f.count(keys), 0)

    def test_of_a_size_or_a_rate(self):
        f = Filter("split256", 10**6, fpr=0.01)
        self.assertLessEqual(f.expected_fpr(), 0.01)
        self.assertAlmostEqual(f.bits_per_key,
                               simdbloom.bits_for_fpr("split256", 10**6, 0.01), places=3)
        self.assertEqual(Filter("split256", 10**6, 12).expected_fpr(),
                         simdbloom.expected_fpr("split256", 10**6, 12))


class NewKeys(Case):
    def test_are_told(self):
        f = Filter("split256", 1000, 24)
        new = f.insert_if_new(np.array([3, 5, 3, 8]))
        self.assertEqual(new.tolist(), [True, True, False, True])
        self.assertEqual(f.insert_if_new(["a", "b", None, "a"]).tolist(),
                         [True, True, False, False])

    def test_that_find_no_place(self):
        f = Filter("cuckoo12", 100, 14)
        taken = f.try_insert(np.arange(100000))
        self.assertGreater(taken, 90)
        self.assertLess(taken, 1000)
        self.assertEqual(f.count(np.arange(taken)), taken)
        self.assertRaisesRegex(ValueError, "keys went in", f.insert, np.arange(10**6, 10**6 + 1000))


class Sets(Case):
    def test_union_and_intersection(self):
        a, b = filled(keys=np.arange(600)), Filter("split256", 600, 24)
        b.insert(np.arange(400, 1000))
        self.assertEqual((a | b).count(np.arange(1000)), 1000)
        self.assertLess((a & b).count(np.arange(400)), 20)
        self.assertEqual((a & b).count(np.arange(400, 600)), 200)
        either = a | b
        a |= b
        self.assertEqual(a.to_bytes(), either.to_bytes())
        a |= a
        self.assertEqual(a.to_bytes(), either.to_bytes())
        keys, error = a.estimated_keys()
        self.assertLess(abs(keys - 1000), 6 * error + 1)

    def test_of_unlike_filters_are_refused(self):
        a = Filter("split256", 1000, 12)
        for b in (Filter("split256", 1000, 12, seed=1), Filter("split256", 9000, 12),
                  Filter("sector512", 1000, 12)):
            with self.assertRaises(ValueError):
                a |= b

    def test_folding_halves(self):
        f = filled(fold_levels=2)
        half = f.folded(2)
        self.assertEqual(2 * half.size_in_bytes, f.size_in_bytes)
        self.assertEqual(half.count(np.arange(1000)), 1000)
        f.accept_all()
        self.assertEqual(f.count(np.arange(10**6)), 10**6)


class Outputs(Case):
    def test_are_written_where_the_caller_says(self):
        f = filled()
        probe = np.arange(2000)
        flags, bits = np.ones(3000, bool), np.full(300, 255, np.uint8)
        rows = np.full(2000, 7, np.uint32)
        given = f.contains(probe, out=flags)
        self.assertTrue(np.shares_memory(given, flags))
        self.assertEqual(len(given), 2000)
        self.assertTrue(flags[2000:].all())  # not written
        f.bitmap(probe, out=bits)
        self.assertEqual(bits[250:].tolist(), [255] * 50)
        self.same(np.unpackbits(bits[:250], bitorder="little"), given)
        found = f.select(probe, out=rows)
        self.same(found, np.flatnonzero(given))
        self.assertTrue(np.shares_memory(found, rows))

    def test_that_do_not_fit_are_refused(self):
        f, probe = filled(), np.arange(64)
        self.assertRaisesRegex(ValueError, "room for 63", f.contains, probe, out=np.empty(63, bool))
        self.assertRaisesRegex(TypeError, "float64", f.contains, probe, out=np.empty(64))
        self.assertRaises(TypeError, f.select, probe, out=np.empty(64, np.int32))
        self.assertRaises(ValueError, f.contains, probe, out=np.empty(128, bool)[::2])
        fixed = np.empty(64, bool)
        fixed.flags.writeable = False
        self.assertRaises(ValueError, f.contains, probe, out=fixed)
        self.assertRaises(TypeError, f.contains, probe, out=[])

    def test_of_some_rows(self):
        f = filled()
        probe = np.array([5, 10**9, 7, 10**9 + 1, 3], dtype=np.int64)
        rows = np.array([4, 1, 2], dtype=np.uint32)
        self.assertEqual(f.select(probe, rows=rows).tolist(), [4, 2])
        self.assertRaises(IndexError, f.select, probe, rows=np.array([5], dtype=np.uint32))
        self.assertRaises(TypeError, f.select, probe, rows=np.array([1], dtype=np.int64))

    def test_of_no_keys(self):
        for empty in ([], np.array([], np.int64), np.array([], "S3"), ()):
            f = filled()
            before = f.to_bytes()
            f.insert(empty)
            self.assertEqual(f.to_bytes(), before)
            self.assertEqual(len(f.contains(empty)), 0)
            self.assertEqual(len(f.select(empty)), 0)
            self.assertEqual(len(f.bitmap(empty)), 0)
            self.assertEqual(f.count(empty), 0)


class Errors(Case):
    def test_name_what_is_wrong(self):
        self.refuses(
            (ValueError, "nonsense", lambda: Filter("nonsense", 10, 12)),
            (ValueError, "0", lambda: Filter("split256", 0, 12)),
            (ValueError, "-3", lambda: Filter("split256", 10, -3)),
            (TypeError, "either", lambda: Filter("split256", 10)),
            (TypeError, "either", lambda: Filter("split256", 10, 12, fpr=0.1)),
            (ValueError, "loud", lambda: Filter("split256", 10, 12, hashing="loud")),
            (ValueError, "mmx", lambda: Filter("split256", 10, 12, isa="mmx")),
            (ValueError, "3 bytes", lambda: Filter("split256", 10, 12, hashing="keyed",
                                                   secret=b"abc")),
            (ValueError, "secret", lambda: Filter("split256", 10, 12, secret=b"a" * 16)),
            (ValueError, "split256", lambda: Filter("split256", 10, 12).erase([1])),
            (ValueError, "fuse", lambda: simdbloom.build_filter([1, 2]).insert([3])),
            (MemoryError, "bytes", lambda: Filter("split256", 1 << 36, 10)))


class Secrets(Case):
    def test_of_seeded_filters_are_drawn(self):
        a, b = filled(hashing="seeded"), filled(hashing="seeded")
        self.assertNotEqual(a.seed, b.seed)
        self.assertIsNone(a.secret)
        self.assertEqual(pickle.loads(pickle.dumps(a)).count(np.arange(1000)), 1000)


class Fuse(Case):
    def test_is_built_of_any_keys(self):
        for options in ({}, {"seed": 5}, {"hashing": "keyed"}, {"hashing": "seeded"}):
            f = simdbloom.build_filter(np.arange(10000), 8, **options)
            self.assertEqual(f.count(np.arange(10000)), 10000)
            self.assertLess(f.count(np.arange(10**6, 10**6 + 10**5)), 600)
            self.assertTrue(5 in f)
        words = ["w%d" % i for i in range(1000)] + [None]
        f = simdbloom.build_filter(words)
        self.assertEqual(f.count(words), 1000)
        self.assertTrue("w7" in f)


class Maps(Case):
    def test_have_the_value_of_each_key(self):
        keys = np.arange(5000) * 13
        values = np.arange(5000) % 200
        m = Map(keys, values)
        self.assertEqual((m.n_keys, m.value_bits, m.check_bits), (5000, 8, 8))
        given, found = m.lookup(keys.astype(np.float64))
        self.assertTrue(found.all())
        self.same(given, values)
        given, found = m.lookup(np.arange(10**6, 10**6 + 100000))
        self.assertLess(found.mean(), 0.006)
        self.assertTrue((given[~found] == 0).all())
        self.assertEqual((len(m), m.get(13 * 777)), (m.n_keys, 777 % 200))
        absent = next(k for k in range(-1, -1000, -1) if k not in m)
        self.assertEqual((m.get(absent), m.get(absent, "x")), (None, "x"))
        self.assertEqual(m[13 * 777], 777 % 200)
        self.assertTrue(13 in m)
        words = Map(["a", "b", "c"], [7, 0, 2**32 - 1], check_bits=16, seed=3)
        self.assertEqual([words[w] for w in "abc"], [7, 0, 2**32 - 1])
        self.assertEqual(words.lookup(["c", None])[1].tolist(), [True, False])
        with self.assertRaisesRegex(KeyError, "zz"):
            words["zz"]

    def test_refuse_what_is_wrong(self):
        self.refuses(
            (ValueError, "2 keys|1 value|values", lambda: Map([1, 2], [1])),
            (ValueError, "row 1 is NULL", lambda: Map([1, None], [1, 2])),
            (ValueError, "a value is below 0", lambda: Map([1], [-1])),
            (ValueError, r"above 2\^32 - 1", lambda: Map([1], [2**32])),
            (ValueError, "8|3", lambda: Map([1], [8], value_bits=3)),
            (TypeError, "float64", lambda: Map([1], [1.5])))


class Models(Case):
    def test_of_great_filters_take_no_memory(self):
        self.assertLess(simdbloom.expected_fpr("split256", 10**11, 10), 0.02)

    def test_refuse_what_is_wrong(self):
        self.refuses(
            (ValueError, "n_keys=0", lambda: simdbloom.expected_fpr("split256", 0, 12)),
            (ValueError, "nonsense", lambda: simdbloom.expected_fpr("nonsense", 10, 12)),
            (ValueError, "2", lambda: simdbloom.bits_for_fpr("split256", 10, 2)))


class Advice(Case):
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
