"""The structures beside Filter and Map: filters of other systems, of threads, of codes; counts."""
# Promise of python_structures, python_bank, python_exchange, python_schemes:
#   Python's structures answer as C++'s and as models.

import os

import numpy as np

import arrow_objects as arrow
import simdbloom
from simdbloom import CodeTable, ConcurrentFilter, Filter, ForeignFilter, LoadError, Map, Rows
from support import ROOT, Case, optional, together

pandas = optional("pandas")
GOLDEN = ROOT + "/tests/golden/foreign/"
BY_BITS = ("leveldb", "rocksdb", "rocksdb-legacy", "spark-v1", "spark-v2")


def golden_keys(kind, first, last):
    """The keys of tests/foreign/README.md."""
    if kind == "integers":
        return np.arange(first, last, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ["schlüssel %d%s%s" % (i, i % 50 * "x", i % 2 * "é") for i in range(first, last)]


def golden_files():
    with open(GOLDEN + "manifest.txt", encoding="ascii") as manifest:
        for line in manifest:
            if not line.startswith("#"):
                yield line.split()[:5]


def foreign(name, n=1000, **options):
    return ForeignFilter(name, n, **({"bits_per_key": 12} if name in BY_BITS else {"fpr": 0.01}),
                         **options)


class Foreign(Case):
    def test_files_of_other_systems_answer_as_these_do(self):
        read = 0
        for name, system, kind, _, n in golden_files():
            if kind == "both":
                continue
            with self.subTest(name):
                with open(GOLDEN + name + ".bin", "rb") as file:
                    data = file.read()
                f = ForeignFilter.from_bytes(data, system)
                n = int(n)
                keys, others = golden_keys(kind, 0, n), golden_keys(kind, n, n + 1000)
                self.assertEqual((f.format, f.count(keys), f.to_bytes()), (system, n, data))
                self.assertTrue(all(key in f for key in keys[:50]))
                if os.path.exists(GOLDEN + name + ".answers"):
                    answers = np.fromfile(GOLDEN + name + ".answers", np.uint8)
                    self.same(f.bitmap(others), answers)
                    read += 1
        self.assertGreater(read, 8)

    def test_of_every_format(self):
        words = ["w%d" % i for i in range(500)]
        numbers = np.arange(500, dtype=np.int32) - 7
        for name in simdbloom.foreign_formats():
            with self.subTest(name):
                f = foreign(name)
                f.insert(numbers)
                f.insert(words + [None])
                f.add(10**12)
                f.add(b"bytes")
                for keys in (numbers, list(numbers), numbers.astype(np.int64), words,
                             np.array(words), np.array(words, "S"), np.array(words, object),
                             iter(words)):
                    self.assertEqual(f.count(keys), 500)
                self.assertTrue(10**12 in f and "bytes" in f and "w3" in f)
                probe = np.arange(10**6, 10**6 + 20000)
                flags = f.contains(probe)
                self.assertLess(flags.mean(), 0.05)
                self.same(f.select(probe), np.flatnonzero(flags))
                self.same(np.unpackbits(f.bitmap(probe), bitorder="little", count=20000), flags)
                some = np.array([19999, 0, 5], np.uint32)
                self.same(f.select(probe, rows=some), some[flags[some]])
                self.assertEqual(arrow.read(f.contains_arrow(probe))[1].tolist(), flags.tolist())
                self.assertEqual(f.contains(["w1", None, "w2"]).tolist(), [True, False, True])
                self.assertLess(f.estimated_fpr(), 0.05)
                self.assertGreater(f.k, 1)
                more = foreign(name)
                more.insert(range(2000, 2100))
                more |= f
                self.assertEqual((more.count(words), more.count(range(2000, 2100))), (500, 100))
                self.assertEqual((f | more).count(range(2000, 2100)), 100)
                if name not in ("leveldb", "impala"):
                    self.assertIn(name, simdbloom.foreign_formats_of(f.to_bytes()))

    def test_take_columns(self):
        words = ["w%d" % (i % 5) for i in range(100)]
        f = foreign("guava")
        f.insert(words)
        self.assertEqual(f.count(np.ma.masked_array(np.array(words, "S"), np.arange(100) < 10)), 90)
        g = foreign("guava")
        g.insert(np.ma.masked_array(np.arange(20), np.arange(20) < 5))
        self.assertEqual(g.select(np.arange(20)).tolist(), list(range(5, 20)))
        g.insert(arrow.integers(np.arange(100, 120)))
        self.assertEqual(g.count(np.arange(100, 120)), 20)
        column = arrow.strings(words)
        self.assertRaisesRegex(TypeError, "guava takes no texts of Arrow", f.count, column)
        column.to_pylist = lambda: words
        self.assertEqual(f.count(column), 100)
        if pandas:
            self.assertEqual(f.count(pandas.Series(words).astype("category")), 100)
            self.assertEqual(g.count(pandas.array([7, None, 9], "Int64")), 2)

    def test_are_converted(self):
        words = ["w%d" % i for i in range(500)]
        own = Filter("split256", 1024, 16)
        own.insert(words)
        for name in ("parquet", "milvus"):
            f = ForeignFilter.from_filter(own, name)
            self.assertEqual(f.count(words), 500)
            again = f.to_filter()
            self.assertEqual((again.key_kind, again.count(words)), ("bytes", 500))
        parquet = foreign("parquet", 1000)
        parquet.insert(words)
        self.assertEqual(parquet.convert("milvus", keys="bytes").count(words), 500)
        impala = foreign("impala")
        impala.insert(words)
        self.assertEqual(impala.convert("kudu").count(words), 500)
        numbers = Filter("split256", 1000, 16)
        numbers.insert([1, 2])
        self.refuses(
            (LoadError, "guava", lambda: foreign("guava").convert("kudu")),
            (ValueError, 'keys="rows"', lambda: parquet.convert("milvus", keys="rows")),
            (ValueError, "guava", lambda: foreign("guava").to_filter()),
            (ValueError, "classic", lambda: ForeignFilter.from_filter(
                Filter("classic", 10, 12), "parquet")),
            (TypeError, "kind integers cannot become one of parquet",
             lambda: ForeignFilter.from_filter(numbers, "parquet")))

    def test_refuse_what_is_wrong(self):
        f, floats = foreign("guava"), np.array([0.5])
        self.refuses(
            (ValueError, "oracle", lambda: ForeignFilter("oracle", 10, 12)),
            (TypeError, "either", lambda: ForeignFilter("guava", 10)),
            (ValueError, "guava", lambda: ForeignFilter("guava", 10, 12)),
            (LoadError, "leveldb|no filter|format", lambda: ForeignFilter.from_bytes(b"abc")),
            (TypeError, "keys of a filter of guava .* not floats", lambda: f.insert(floats)),
            (TypeError, "not floats", lambda: 0.5 in f),
            (TypeError, "not rows", lambda: f.count(Rows([1], [2]))),
            (TypeError, "not days", lambda: f.count(np.array(["2020-01-01"], "M8[D]"))),
            (TypeError, "guava takes no hashes",
             lambda: f.count(np.arange(3, dtype=np.uint64), hashed=True)),
            (IndexError, "row 5 of a column of 1 rows",
             lambda: f.select([1], rows=np.array([5], np.uint32))),
            (ValueError, "size|k|bits", lambda: f | foreign("guava", 9000)))


class Concurrent(Case):
    def test_threads_fill_and_ask_one_filter(self):
        keys = np.arange(4 * 200_000)
        f = ConcurrentFilter("split256", len(keys), 16)
        new = [0] * 8

        def run(i):  # every key twice
            mine = keys[i % 4::4]
            new[i] = f.insert_if_new(mine).sum()
            self.assertEqual(f.count(mine), len(mine))

        together(*[lambda i=i: run(i) for i in range(8)])
        self.assertEqual(f.count(keys), len(keys))
        self.assertLess(abs(sum(new) - len(keys)), 0.001 * len(keys))
        g = Filter("split256", len(keys), 16)
        g.insert(keys)
        self.assertEqual(f.snapshot().to_bytes(), g.to_bytes())
        self.assertEqual(f.estimated_fpr(), g.estimated_fpr())

    def test_has_the_bits_of_a_filter(self):
        for keys in (np.arange(99, dtype=np.int32), ["a", "é"], np.array(["a", "bc"], "S"),
                     np.arange(9) / 2, Rows([1, 2], ["a", "b"])):
            f, g = (cls("split256", 99, 12) for cls in (ConcurrentFilter, Filter))
            for each in (f, g):
                each.insert(keys)
            self.assertEqual(f.snapshot().to_bytes(), g.to_bytes())

    def test_has_the_rules_of_kinds(self):
        for make in (lambda **o: ConcurrentFilter("register64", 100, 12, **o),
                     lambda **o: CodeTable("codes", 100, fpr=0.001, **o)):
            for hashing in ({}, {"hashing": "keyed"}):
                f = make(**hashing)
                days = np.array(["2020-01-01", "NaT"], "M8[D]")
                self.assertEqual(f.insert_if_new(days).tolist(), [True, False])
                f.insert(days)
                f.add(np.datetime64("2020-01-02T00:00:00"))
                self.assertEqual(f.key_kind, "days")
                self.assertEqual(f.contains(days.astype("M8[ns]")).tolist(), [True, False])
                self.assertTrue(np.datetime64("2020-01-02") in f)
                self.assertEqual(f.count(f.hashes(days), hashed=True), 1)
                self.assertEqual(f.secret is None, f.hashing == "fast")
                self.assertRaisesRegex(TypeError, "cannot be keys of one filter", f.insert, [1])
                self.assertRaisesRegex(TypeError, "cannot be probed with", f.count, ["a"])

    def test_refuse_what_is_wrong(self):
        self.assertRaisesRegex(ValueError, "cuckoo12", ConcurrentFilter, "cuckoo12", 10, 12)
        self.assertRaisesRegex(TypeError, "either", ConcurrentFilter, "split256", 10)
        self.assertRaisesRegex(ValueError, "split256", CodeTable, "split256", 10, 12)
        f = CodeTable("codes:c=9", 10, 12)
        self.assertEqual(f.spec, "codes:c=9")
        self.assertRaises(ValueError, f.insert, np.arange(1000))
        self.assertGreater(f.load_factor, 0.9)


class Facts(Case):
    def test_are_those_of_the_structure(self):
        has = {"stored": ("cuckoo12", "dleft12", "growing16", "scalable"),
               "load_factor": ("cuckoo12", "dleft12", "growing16"),
               "saturated": ("counting", "dleft12"), "fpr_bound": ("growing16", "scalable")}
        for spec in ("split256", "cuckoo12", "counting", "dleft12", "growing16", "scalable"):
            f = Filter(spec, 1000, 48 if spec == "counting" else 24)
            f.insert(np.arange(100))
            for fact, specs in has.items():
                with self.subTest(f"{spec} {fact}"):
                    self.assertEqual(hasattr(f, fact), spec in specs)
                    if fact == "stored" and spec in specs:
                        self.assertLessEqual(abs(f.stored - 100), 1)
            if not hasattr(f, "stored"):
                with self.assertRaisesRegex(AttributeError, spec + ".* has no stored"):
                    f.stored

    def test_counts(self):
        keys = ["a", "b", "a", None, "a"]
        for spec in ("counting", "dleft12"):
            f = Filter(spec, 100, 48)
            f.insert(keys)
            self.assertEqual(f.count_estimate(["a", "b", None, "c"]).tolist(), [3, 1, 0, 0])
        f = Filter("counting", 100, 48)
        f.insert(keys)
        g = f + f
        self.assertEqual(g.count_estimate(["a", "b"]).tolist(), [6, 2])
        g += f
        g += g
        self.assertEqual(g.count_estimate(["a", "b"]).tolist(), [15, 6])
        self.assertGreater(g.saturated, 0)
        self.assertRaisesRegex(ValueError, "split256.* does not count",
                               Filter("split256", 10, 12).count_estimate, [1])
        with self.assertRaisesRegex(ValueError, "split256"):
            Filter("split256", 10, 12) + Filter("split256", 10, 12)

    def test_series_grow_as_they_are_told(self):
        f = Filter("scalable:sector512", 1000, fpr=0.01, growth=4, tightening=0.25)
        self.assertEqual((f.spec, f.fpr_bound), ("scalable:sector512", 0.01))
        g = Filter("scalable:sector512", 1000, fpr=0.01)
        for each in (f, g):
            each.insert(np.arange(20_000))
        self.assertNotEqual(f.size_in_bytes, g.size_in_bytes)
        self.assertRaisesRegex(ValueError, "99", Filter, "scalable", 10, fpr=0.1, growth=99)
        self.assertRaisesRegex(TypeError, "split256", Filter, "split256", 10, fpr=0.1, growth=2)

    def test_arity_is_four(self):
        keys = np.arange(100_000)
        three, four = (simdbloom.build_filter(keys, 8, arity=a) for a in (3, 4))
        self.assertLess(four.size_in_bytes, 0.98 * three.size_in_bytes)
        self.assertEqual(four.count(keys), len(keys))
        m = Map(keys, keys % 100, arity=4)
        self.assertEqual((m[77], "d=4" in m.spec), (77, True))
        self.assertRaisesRegex(ValueError, "5", Map, [1], [1], arity=5)
