"""FilterBank and CompactBank: answers against sets of Python and against filters, one by one."""

import copy
import os
import pickle
import random
import subprocess
import sys
import threading

import arrow_objects as arrow
import numpy as np

import simdbloom
from simdbloom import CompactBank, Filter, FilterBank, Rows
from support import Case, Stop, alarm, optional, together

pandas = optional("pandas")


def sized(cls, sets, n, fpr, **options):
    """A bank for n keys in each set; every third of a CompactBank has room for more."""
    if cls is FilterBank:
        return FilterBank.for_fpr(sets, n, fpr, **options)
    return CompactBank.for_fpr([n * 40 if s % 3 == 2 else n for s in range(sets)], fpr, **options)


def filled(cls, sets=70, n=200, **options):
    """A bank, and the keys of each set."""
    bank = sized(cls, sets, n, 1e-4, **options)
    keys = [np.arange(n) * 1000 + s for s in range(sets)]
    for s in range(sets):
        bank.insert(s, keys[s])
    return bank, keys


class Answers(Case):
    def test_a_bank_says_what_it_is(self):
        self.assertRegex(repr(CompactBank.for_fpr([9], 0.01)), "sets: 1, banks: 1, bytes: [0-9]+>$")
        self.assertRegex(repr(FilterBank.with_bits_per_key(1, 9, 10)), "sets: 1, keys of each: 9>$")

    def test_are_those_of_filters_one_by_one(self):
        probe = np.concatenate([np.arange(0, 40_000, 7), [-1]])
        for sets in (1, 64, 130):
            bank = FilterBank.with_bits_per_key(sets, 300, 10, spec="split256", seed=3)
            filters = [Filter(bank.spec, 300, 10, seed=3) for _ in range(sets)]
            for s, f in enumerate(filters):
                keys = np.arange(s, 300 * (s % 5 + 1), s % 5 + 1)
                f.insert(keys)
                bank.insert(s, keys)
            flags = np.array([f.contains(probe) for f in filters]).T
            with self.subTest(sets):
                found = bank.contains(probe)
                self.assertEqual((found.shape, found.dtype), ((len(probe), sets), bool))
                self.same(found, flags)
                bits = bank.bitmap(probe)
                self.assertEqual(bits.shape, (len(probe), (sets + 63) // 64 * 8))
                unpacked = np.unpackbits(bits, axis=1, bitorder="little")
                self.same(unpacked[:, :sets], flags)
                self.assertFalse(unpacked[:, sets:].any())
                counts = bank.count_per_set(probe)
                self.assertEqual(counts.dtype, np.uint64)
                self.same(counts, flags.sum(0))
                for least in (0, 1, int(counts.max()), len(probe) + 1):
                    self.same(bank.select_sets(probe, least), np.flatnonzero(counts >= least))
                for i in (0, 5, len(probe) - 1):
                    key = int(probe[i])
                    self.same(bank.contains(key), flags[i])
                    self.same(bank.bitmap(key), bits[i])
                    self.same(bank.select(key), np.flatnonzero(flags[i]))
                    self.assertEqual(bank.count(key), flags[i].sum())
                self.assertEqual(FilterBank.of(filters).to_bytes(), bank.to_bytes())
                self.assertEqual(bank.rows, filters[0].size_in_bytes * 8)
                self.assertEqual(bank.expected_fpr(), filters[0].expected_fpr())

    def test_are_the_same_on_every_isa(self):
        for cls in (FilterBank, CompactBank):
            bank, keys = filled(cls)
            for isa in simdbloom.usable_isas():
                other = cls.from_bytes(bank.to_bytes(), isa=isa)
                self.assertEqual(other.isa, isa)
                self.same(other.contains(keys[3]), bank.contains(keys[3]))

    def test_of_unequal_sets_are_those_of_sets_of_python(self):
        rng = random.Random(5)
        sizes = [round(10 ** rng.uniform(0, 4)) for _ in range(70)] + [0]
        bank = CompactBank.for_fpr(iter(sizes), 0.001, seed=9)
        self.assertGreater(len(bank.specs), 1)
        self.assertEqual(bank.n_keys.tolist(), sizes)
        self.assertTrue(all(0 <= bank.expected_fpr(s) <= 0.001 for s in range(len(sizes))))
        keys = [rng.sample(range(10**6), n) for n in sizes]
        for s, some in enumerate(keys):
            bank.insert(s, some)
        bank.clear_set(3)
        self.assertEqual(bank.add_set(7), len(sizes))
        bank.insert(len(sizes), [10**7])
        keys[3], keys[len(sizes):] = [], [[10**7]]
        probe = np.array(keys[5] + [10**7, 10**8])
        found = bank.contains(probe)
        expected = np.stack([np.isin(probe, np.array(some, int)) for some in keys], axis=1)
        self.assertTrue(found[expected].all())
        self.assertLess((found & ~expected).mean(), 0.002)
        self.same(bank.count_per_set(probe), found.sum(0))
        self.same(bank.select(probe[0]), np.flatnonzero(found[0]))
        bank.resize(50)
        self.same(bank.contains(probe), found[:, :50])
        bank.resize(52, n_keys=9)
        self.assertEqual(bank.n_keys.tolist(), sizes[:50] + [9, 9])
        bank.clear()
        self.assertFalse(bank.contains(probe).any())

    def test_of_filters_decide_its_kind(self):
        def of(keys):
            f = Filter("split256", 100, 20)
            f.insert(keys)
            return f

        days = np.array(["2020-01-01"], "M8[D]")
        bank = FilterBank.of([of([]), of(days), of([])])
        self.assertEqual(bank.contains(days.astype("M8[s]")).tolist(), [[False, True, False]])
        self.assertEqual(FilterBank.of([of([1]), of([0.5])]).key_kind, "floats")
        self.assertEqual(FilterBank.of([of([])]).key_kind, "unknown")
        self.assertRaisesRegex(ValueError, "keys of one filter", FilterBank.of,
                               [of(days), of(days.astype("M8[s]"))])
        f = of([7])
        self.assertEqual(FilterBank.of([f, f, f]).count(7), 3)

    def test_of_a_filter_bank_are_those_of_a_compact_one(self):
        bank, keys = filled(FilterBank)
        compact = CompactBank.from_bytes(bank.to_bytes())
        self.same(compact.contains(keys[9]), bank.contains(keys[9]))
        self.assertEqual((compact.specs, compact.n_keys.tolist()), ([bank.spec], [200] * 70))


OF_UUIDS = """
import uuid
from simdbloom import ConcurrentFilter, FilterBank
key, f = uuid.UUID(int=5), ConcurrentFilter("split256", 10, 20)
f.insert([key])
assert key in f
bank = FilterBank.for_fpr(2, 10, 1e-6)
bank.insert(1, [key])
assert bank.select(key).tolist() == [1] and bank.count(key) == 1
assert bank.contains(key).tolist() == [False, True]
"""


class Keys(Case):
    cls = FilterBank

    def test_are_those_of_all_structures(self):
        words = ["w%d" % i for i in range(50)]
        bank = sized(self.cls, 9, 100, 1e-6)
        bank.insert(4, words + [None])
        batches = [words, np.array(words), np.array(words, "S"), np.array(words, object),
                   (w for w in words), arrow.strings(words)]
        if pandas:
            batches += [pandas.Series(words), pandas.Series(words).astype("category")]
        for keys in batches:
            found = bank.contains(keys)
            self.assertEqual(found.shape, (50, 9))
            self.assertTrue(found[:, 4].all())
        for key in ("w3", b"w3", np.str_("w3")):
            self.assertEqual(bank.select(key).tolist(), [4])
            self.assertEqual(bank.contains(key).tolist(), [s == 4 for s in range(9)])
        self.assertEqual(bank.contains(["w1", None, "w2"]).sum(), 2)
        self.assertFalse(bank.contains([None, None]).any())
        late = bank.contains([None] * 5000 + ["w1"])  # pieces without a key
        self.assertEqual((late.shape, late.sum()), ((5001, 9), late[5000].sum()))
        self.assertTrue(late[5000, 4])
        self.assertEqual(bank.contains([]).shape, (0, 9))
        self.assertEqual(bank.count_per_set([]).tolist(), [0] * 9)
        self.assertEqual(bank.key_kind, "bytes")
        rows = Rows(np.arange(50), words)
        pairs = sized(self.cls, 2, 100, 1e-6)
        pairs.insert(1, rows)
        self.assertEqual(pairs.count_per_set(rows).tolist(), [0, 50])
        numbers = sized(self.cls, 2, 100, 1e-6, hashing="keyed")
        numbers.insert(1, np.arange(50))
        self.assertEqual(numbers.count_per_set(numbers.hashes(range(50)), hashed=True).tolist(),
                         [0, 50])
        for key in (3, 3.0, np.int8(3), np.float32(3), True + 2):
            self.assertEqual(numbers.count(key), 1)

    def test_that_are_one_uuid_live_until_the_answer(self):
        # This allocator overwrites what is freed.
        end = subprocess.run([sys.executable, "-c", OF_UUIDS], capture_output=True, text=True,
                             check=False, env={**os.environ, "PYTHONMALLOC": "debug"})
        self.assertEqual((end.returncode, end.stderr), (0, ""))

    def test_of_long_streams(self):
        n = (1 << 20) + 4321
        bank = sized(self.cls, 2, n, 1e-3)
        bank.insert(1, np.arange(n))
        self.assertTrue(bank.contains(np.arange(n))[:, 1].all())
        chunks = arrow.Chunks([arrow.integers(np.arange(i, i + 5000)) for i in (0, n, n - 5000)])
        self.assertEqual(bank.contains(chunks)[[0, 4999, 10_000, 14_999], 1].tolist(), [True] * 4)

    def test_have_the_kind_of_the_first(self):
        days = np.array(["2020-01-01", "NaT"], "M8[D]")
        bank = sized(self.cls, 3, 10, 1e-6)
        self.assertRaises(IndexError, bank.insert, 3, ["a"])
        self.assertEqual(bank.key_kind, "unknown")
        bank.insert(0, days)
        for again in (bank, pickle.loads(pickle.dumps(bank)), copy.copy(bank)):
            self.assertEqual(again.key_kind, "days")
            self.assertEqual(again.contains(days.astype("M8[ns]"))[:, 0].tolist(), [True, False])
            self.assertEqual(again.count(np.datetime64("2020-01-01T00:00:00")), 1)
            self.assertRaisesRegex(TypeError, "cannot be keys of one", again.insert, 1, [5])
            for call in (again.contains, again.count_per_set):
                self.assertRaisesRegex(TypeError, "cannot be probed", call, [5])
            self.assertRaisesRegex(TypeError, "cannot be probed", again.count, "a")
        bank.clear()
        bank.insert(0, ["a"])
        self.assertEqual(bank.key_kind, "bytes")


class KeysOfUnequalSets(Keys):
    cls = CompactBank


class Calls(Case):
    def test_that_are_wrong_are_named_in_a_line(self):
        bank, _ = filled(FilterBank, 3)
        unequal, _ = filled(CompactBank, 3)
        f = Filter("split256", 100, 12)
        make, of = FilterBank.with_bits_per_key, FilterBank.of
        self.refuses(
            (ValueError, "sets=0", lambda: make(0, 10, 12)),
            (ValueError, "sets=-1 is below 0", lambda: make(-1, 10, 12)),
            (TypeError, "n_keys='x' is not an integer", lambda: make(3, "x", 12)),
            (ValueError, "bits", lambda: make(3, 10, 0)),
            (ValueError, "cuckoo12", lambda: make(3, 10, 12, spec="cuckoo12")),
            (ValueError, "1.5|FPR", lambda: FilterBank.for_fpr(3, 10, 1.5)),
            (ValueError, "max_bytes|bytes", lambda: make(64, 10**6, 12, max_bytes=1000)),
            (IndexError, "set 3 of a bank of 3 sets", lambda: bank.insert(3, [1])),
            (ValueError, "set=-1 is below 0", lambda: bank.insert(-1, [1])),
            (TypeError, "set='a' is not an integer", lambda: bank.insert("a", [1])),
            (TypeError, "missing .*'keys'", lambda: bank.insert(1)),
            (TypeError, "5 is not iterable", lambda: bank.insert(1, 5)),
            (TypeError, r"\[1\] is not a key", lambda: bank.select([1])),
            (TypeError, "None is not a key", lambda: bank.contains(None)),
            (ValueError, r"shape \(2, 2\) has 2 dimensions", lambda: bank.contains(np.eye(2))),
            (TypeError, "hashes are", lambda: bank.contains([1], hashed=True)),
            (TypeError, "least='1' is not an integer", lambda: bank.select_sets([1], "1")),
            (ValueError, "at least one set", lambda: bank.resize(0)),
            (ValueError, "at least one set", lambda: of([])),
            (TypeError, "3 is not a Filter", lambda: of([f, 3])),
            (TypeError, r"of\(\): filters=3 is not iterable", lambda: of(3)),
            (ValueError, "growing16", lambda: of([Filter("growing16", 9, 20)])),
            (ValueError, "cuckoo12", lambda: of([Filter("cuckoo12", 9, 20)])),
            (ValueError, "filter 1 has .*seed 1", lambda: of([f, Filter("split256", 100, 12,
                                                                         seed=1)])),
            (ValueError, "filter 2 has", lambda: of([f, f, Filter("split256", 900, 12)])),
            (TypeError, "n_keys=3 is not iterable", lambda: CompactBank.for_fpr(3, 0.1)),
            (TypeError, r"n_keys\[1\]=1.5 is not an integer",
             lambda: CompactBank.for_fpr([3, 1.5], 0.1)),
            (ValueError, r"n_keys\[1\]=-1 is below 0", lambda: CompactBank.for_fpr([3, -1], 0.1)),
            (ValueError, "at least one set", lambda: CompactBank.for_fpr([], 0.1)),
            (ValueError, "n_keys=1125899906842624", lambda: CompactBank.for_fpr([2**50], 0.1)),
            (IndexError, "set 3 of a bank of 3 sets", lambda: unequal.expected_fpr(3)),
            (IndexError, "set 3 of a bank of 3 sets", lambda: unequal.insert(3, [1])),
            (ValueError, "n_keys=-1 is below 0", lambda: unequal.add_set(-1)))
        self.assertRaises(TypeError, FilterBank)
        self.assertRaises(TypeError, CompactBank)
        with self.assertRaises(TypeError):
            3 in bank

    def test_of_rows_in_pairs_come_back(self):
        bank = FilterBank.for_fpr(64, 1000, 0.005, spec="paired512")
        self.assertEqual(bank.spec, "paired512:k=6")
        bank.insert(63, [7])
        loaded = FilterBank.from_bytes(bank.to_bytes())
        self.assertEqual((loaded.spec, loaded.select(7).tolist()), (bank.spec, [63]))
        with self.assertRaisesRegex(ValueError, "k=5 is not in 2..16"):
            FilterBank.for_fpr(64, 1000, 0.005, spec="paired512:k=5")

    def test_that_are_long_hear_signals(self):
        bank = FilterBank.for_fpr(2, 1000, 0.01, spec="classic:k=16")
        many = np.zeros(1 << 26, np.int8)
        for call in (lambda: bank.insert(1, many), lambda: bank.count_per_set(many)):
            self.assertRaises(Stop, alarm, call)
            bank.insert(0, [5])  # no lock is held

    def test_of_threads_lose_no_key(self):
        bank = FilterBank.for_fpr(4, 50_000, 1e-3)
        keys = [np.arange(s, 200_000, 4) for s in range(4)]

        def run(s):
            for part in np.array_split(keys[s], 20):
                bank.insert(s, part)
                if s == 0:
                    bank.add_set()
                self.assertTrue(bank.contains(part)[:, s].all())

        together(*[lambda s=s: run(s) for s in range(4)])
        self.assertEqual(len(bank), 24)
        for s in range(4):
            self.assertTrue(bank.contains(keys[s])[:, s].all())

    def test_that_clear_leave_no_keys_without_a_kind(self):
        # While the reader has the bank, clear and insert wait for it, in either order.
        bank = FilterBank.with_bits_per_key(64, 50_000, 10)
        for _ in range(50):
            ended = []

            def read():
                while not ended:
                    bank.copy()

            reader, clear = threading.Thread(target=read), threading.Thread(target=bank.clear)
            reader.start()
            clear.start()
            bank.insert(5, ["a"])
            clear.join()
            ended.append(True)
            reader.join()
            self.assertIn((bank.key_kind, bank.count("a")), [("bytes", 1), ("unknown", 0)])
