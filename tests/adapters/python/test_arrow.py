"""Arrow's arrays and streams by the PyCapsule interface, without a library of Arrow's."""

import datetime
import gc
import unittest

import arrow_objects as arrow
import numpy as np

from simdbloom import Filter, ForeignFilter, Rows
from support import Case, built, of, optional

polars, pyarrow = optional("polars"), optional("pyarrow")


class Producer:
    def __init__(self, call):
        self.call = call

    def __arrow_c_array__(self, requested_schema=None):
        return self.call()


class Arrays(Case):
    def tearDown(self):
        gc.collect()
        self.assertEqual(arrow.live, {}, "not released")

    def test_of_numbers(self):
        f = of(np.arange(100))
        for fmt, kind in ((b"c", np.int8), (b"C", np.uint8), (b"s", np.int16), (b"S", np.uint16),
                          (b"i", np.int32), (b"I", np.uint32), (b"l", np.int64), (b"L", np.uint64),
                          (b"f", np.float32), (b"g", np.float64)):
            with self.subTest(fmt):
                column = arrow.integers(np.arange(120).astype(kind), fmt=fmt)
                self.assertEqual(f.select(column).tolist(), list(range(100)))
                self.assertEqual(of(column).select(np.arange(200)).tolist(), list(range(120)))

    def test_with_nulls_and_an_offset(self):
        valid = np.arange(100) % 5 != 0
        column = arrow.integers(np.arange(100), valid, offset=3)
        f = of(column)
        expected = [i for i in range(3, 100) if i % 5]
        self.assertEqual(f.select(np.arange(100)).tolist(), expected)
        self.assertEqual((f.select(column) + 3).tolist(), expected)
        self.assertEqual(f.contains(column).tolist(), valid[3:].tolist())
        self.assertEqual(f.count(column), len(expected))
        self.assertEqual(len(f.bitmap(column)), 13)

    def test_of_strings_and_dictionaries(self):
        words = ["w%d" % i for i in range(50)] + ["", "Київ"]
        for fmt in (b"u", b"U"):
            f = of(arrow.strings(words, fmt))
            self.assertEqual(f.count(words), 52)
            codes = arrow.integers(np.array([3, 0, 51], np.int8), fmt=b"c")
            codes.dictionary = arrow.strings(words, fmt)
            self.assertEqual(f.count(codes), 3)
            self.assertEqual(of(codes).select(words).tolist(), [0, 3, 51])

    def test_of_structs_are_rows_of_columns(self):
        days, words = np.arange(30), ["w%d" % i for i in range(30)]
        rows = arrow.struct([arrow.integers(days), arrow.strings(words)], 30)
        self.assertEqual(of(rows).count(Rows(days, words)), 30)
        self.assertEqual(of(Rows(days, words)).count(rows), 30)

    def test_are_no_columns_of_rows(self):
        for column in (arrow.integers(np.arange(3)), arrow.Chunks([])):
            self.assertRaisesRegex(TypeError, "table", of, Rows(np.arange(3), column))

    def test_that_are_wrong_are_refused(self):
        f = of([1])
        self.assertRaisesRegex(ValueError, "zz", f.count, arrow.integers(np.arange(3), fmt=b"zz"))
        codes = arrow.integers(np.array([9], np.int8), fmt=b"c")
        codes.dictionary = arrow.strings(["a"])
        self.assertRaises(ValueError, f.insert, codes)
        self.assertRaises(TypeError, f.count, arrow.integers(np.arange(3)), hashed=True)
        self.assertRaises(ValueError, f.count, Producer(lambda: (1, 2)))
        self.assertRaisesRegex(KeyError, "producer", f.count, Producer(lambda: {}["of a producer"]))

    def test_whose_library_is_missing_are_arrays(self):

        class Series:
            def __arrow_c_stream__(self, requested_schema=None):
                raise ImportError("no pyarrow")

            def __array__(self, dtype=None):
                return np.arange(3)

        self.assertEqual(of(Series()).select(np.arange(5)).tolist(), [0, 1, 2])
        del Series.__array__
        self.assertRaises(ImportError, of, Series())

    def test_are_used_once(self):
        column = arrow.integers(np.arange(3))
        pair = column.__arrow_c_array__()
        f = of(Producer(lambda: pair))
        self.assertRaisesRegex(ValueError, "used before", f.insert, Producer(lambda: pair))


class Libraries(Case):
    """Where they are installed; Debian has neither."""
    utc = np.array(["2020-01-01T00:30", "1969-12-31T23:59"], "M8[us]")
    zone = datetime.timezone(datetime.timedelta(hours=9))
    here = [datetime.datetime(2020, 1, 1, 9, 30, tzinfo=zone),
            datetime.datetime(1970, 1, 1, 8, 59, tzinfo=zone), None]

    @unittest.skipIf(pyarrow is None, "pyarrow is not installed")
    def test_pyarrow_columns(self):
        for unit in ("us", "ns"):
            column = pyarrow.array(self.here, pyarrow.timestamp(unit, tz="Asia/Tokyo"))
            f = of(column)
            self.assertEqual((f.count(self.utc), f.count(self.here)), (2, 2))
            self.assertEqual(of(self.utc).contains(column).tolist(), [True, True, False])
        chunks = pyarrow.chunked_array([["a", None], ["b"]])
        self.assertEqual(of(chunks).contains(["a", "b", "c"]).tolist(), [True, True, False])
        foreign = ForeignFilter("guava", 100, fpr=0.001)
        foreign.insert(chunks)
        self.assertEqual(foreign.contains(chunks).tolist(), [True, False, True])
        self.assertEqual(pyarrow.array(of([1]).contains_arrow([1, 2])).to_pylist(), [True, False])

    @unittest.skipIf(polars is None, "polars is not installed")
    def test_polars_columns(self):
        import simdbloom.frames  # noqa: F401
        column = polars.Series("t", [*self.utc.tolist(), None], polars.Datetime("us"))
        column = column.dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")
        f = of(column)
        self.assertEqual((f.count(self.utc), f.count(self.here)), (2, 2))
        self.assertEqual(of(self.utc).contains(column).tolist(), [True, True, False])
        left = polars.DataFrame({"k": [1, 2, 3, 2], "t": ["a", "b", None, "b"]})
        right = polars.DataFrame({"k": [2, 3], "t": ["b", None]})
        self.assertEqual(left.bloom.semi_join(right, on="k")["k"].to_list(), [2, 3, 2])
        self.assertEqual(left.bloom.semi_join(right, on=["k", "t"])["k"].to_list(), [2, 2])


class Answers(Case):
    def test_are_columns_of_arrow(self):
        keys = np.arange(1003)
        f = of(keys[::3])
        stream = arrow.Chunks([arrow.integers(keys[:5]), arrow.integers(keys[5:])])
        for given in (keys, stream):
            column = f.contains_arrow(given)
            self.assertEqual(len(column), 1003)
            for _ in range(2):  # each time a copy
                fmt, values = arrow.read(column)
                self.assertEqual(fmt, b"b")
                self.same(values, f.contains(keys))
        column = f.select_arrow(keys)
        fmt, values = arrow.read(column)
        self.assertEqual((fmt, len(column)), (b"I", len(values)))
        self.same(values, f.select(keys))
        self.assertEqual(f.count(column), len(f.select(f.select(keys))))
        for empty in (f.contains_arrow([]), f.select_arrow([1])):
            self.assertEqual(len(arrow.read(empty)[1]), 0)


class Streams(Case):
    tearDown = Arrays.tearDown

    def chunks(self, sizes=(5, 0, 17, 1, 100), **options):
        first, columns = 0, []
        for n in sizes:
            columns.append(arrow.integers(np.arange(first, first + n)))
            first += n
        return arrow.Chunks(columns, **options)

    def test_answer_as_one_array(self):
        keys = np.arange(123)
        f = of(keys[::3])
        for stream in (self.chunks(), self.chunks((123,)), self.chunks((8, 8, 107))):
            self.same(f.contains(stream), f.contains(keys))
            self.same(f.select(stream), f.select(keys))
            self.same(f.bitmap(stream), f.bitmap(keys))
            self.assertEqual(f.count(stream), 41)
            self.assertEqual(of(stream).to_bytes(), of(keys).to_bytes())
            room = np.zeros(200, bool)
            self.same(f.contains(stream, out=room), f.contains(keys))
            self.assertRaisesRegex(ValueError, "room for 100", f.contains, stream, out=room[:100])
        g = Filter("split256", 1000, 30)
        self.assertTrue(g.insert_if_new(self.chunks()).all())
        self.assertFalse(g.insert_if_new(self.chunks()).any())
        self.assertEqual(built(self.chunks()).finish().count(keys), 123)
        self.assertRaises(TypeError, f.select, self.chunks(), rows=np.array([1], np.uint32))

    def test_that_fail_say_why(self):
        f = of([1])
        self.assertRaisesRegex(RuntimeError, "on fire", f.contains, self.chunks(fails_after=2))
        self.assertRaisesRegex(RuntimeError, "on fire", f.insert, self.chunks(fails_after=0))

    def test_may_ask_the_filter_that_they_fill(self):
        f = Filter("split256", 1000, 30)
        f.insert(self.chunks(before=lambda: (5 in f, f.count([1]), f.estimated_fpr())))
        self.assertEqual(f.count(np.arange(123)), 123)
