"""Arrays and sequences of every type: equal keys are found whatever their type is."""
# Promise of python_keys, python_arrow, python_join, python_filter, python_saved: Python finds equal
#   keys whatever array, list or Arrow stream holds them, after files, buffers and pickles too.

import array
import itertools
import unittest
from decimal import Decimal

import numpy as np

from simdbloom import Filter, Rows
from support import of

HASHINGS = ({"seed": 9}, {"hashing": "keyed"})
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()


class Numbers(unittest.TestCase):
    def test_of_every_type_are_one_key(self):
        floats = ["float16", "float32", "float64"]
        for first, types in ((0, INTEGERS + floats), (-120, INTEGERS[:4] + floats)):
            keys, places = np.arange(first, first + 120), list(range(1, 120, 2))
            values = keys[1::2]
            for hashing, inserted in itertools.product(HASHINGS, types):
                f = of(values.astype(inserted), **hashing)
                for asked in types:
                    with self.subTest(f"{inserted} {asked} {hashing}"):
                        self.assertEqual(f.select(keys.astype(asked)).tolist(), places)
                        self.assertEqual(f.count(keys.astype(asked)), 60)
                self.assertTrue(all(int(v) in f and float(v) in f for v in values))
                key = values[2]
                self.assertTrue(np.int8(key) in f and np.int64(key) in f and np.float32(key) in f)
                self.assertFalse(int(key) + 1 in f or key + 1.5 in f)
        self.assertTrue(np.uint64(5) in of([5]))

    def test_at_the_ends_of_their_range(self):
        ends = [-2**63, -1, 0, 2**63 - 1, 2**64 - 1]
        f = of(ends)
        self.assertEqual(f.count(ends), 5)
        self.assertTrue(all(v in f for v in ends))
        self.assertEqual(f.count(np.array([2**64 - 1, 0], np.uint64)), 2)
        for beyond in (2**64, -2**63 - 1, 10**40):
            with self.assertRaisesRegex(OverflowError, "64 bits"):
                beyond in f
            self.assertRaisesRegex(OverflowError, str(beyond), f.insert, [1, beyond])

    def test_with_fractions_and_nan(self):
        f = of(np.array([0.5, -0.0, np.nan, np.inf]))
        self.assertEqual(f.count([0.5, 0, float("nan"), float("inf"), -float("inf"), 1.5]), 4)
        self.assertEqual(f.count(np.array([0.5, 0, np.nan], np.float32)), 3)

    def test_that_are_decimals(self):
        numbers = [Decimal("5"), Decimal("5.00"), Decimal("-1E+2"), Decimal("0.5"), Decimal("NaN"),
                   Decimal("Infinity"), Decimal("12345678901234567890")]
        f = of(numbers)
        self.assertEqual(f.key_kind, "floats")
        self.assertEqual(f.count([5, -100, 0.5, float("nan"), float("inf"),
                                  12345678901234567890, 100, 0.25]), 6)
        self.assertTrue(Decimal("5.0") in of([5]) and Decimal("2.5") in of([2.5]))
        self.assertTrue(Decimal("0.1") in of([0.1]) and Decimal("1E-2000") in of([0]))
        self.assertEqual(of([1, Decimal("1.5"), None]).count([1.0, 1.5]), 2)
        with self.assertRaisesRegex(OverflowError, "128 bits"):
            of([Decimal("1" + "0" * 38 + "1")])

    def test_that_are_true_or_false(self):
        f = of(np.array([True, True]))
        self.assertEqual(f.contains(np.array([True, False])).tolist(), [True, False])
        self.assertTrue(1 in f and True in f and np.True_ in f)
        self.assertFalse(0 in f or False in f)

    def test_in_other_memory(self):
        values = np.arange(1000)
        f = of(values)
        strided = np.arange(2000)[::2] // 2
        odd = np.frombuffer(b"x" + values.tobytes(), np.uint8)[1:].view(np.int64)
        for keys in (strided, values[::-1], values.astype(">i8"), values.astype(">u2"), odd,
                     array.array("q", range(1000)), memoryview(values), range(1000), set(values),
                     (int(v) for v in values), dict.fromkeys(range(1000)),
                     np.ma.masked_array(values), np.broadcast_to(np.int64(5), (1000,))):
            self.assertEqual(f.count(keys), 1000, type(keys))
        g = of(strided)
        self.assertEqual(g.to_bytes(), f.to_bytes())
        read_only = values.copy()
        read_only.flags.writeable = False
        self.assertEqual(of(read_only).to_bytes(), f.to_bytes())

    def test_that_are_hashed_already(self):
        f = of(np.arange(100), seed=9)
        hashes = f.hashes(np.arange(200))
        self.assertEqual(hashes.dtype, np.uint64)
        np.testing.assert_array_equal(f.contains(hashes, hashed=True), f.contains(np.arange(200)))
        again = Filter("split256", 10000, 30, seed=9)
        again.insert(hashes[:100], hashed=True)
        # Hashes do not say what the keys were.
        self.assertEqual((f.key_kind, again.key_kind), ("integers", "unknown"))
        self.assertEqual(again.to_bytes()[64:-8], f.to_bytes()[64:-8])
        for keys in (np.arange(3), np.array([1, 2], object), [1, 2]):
            self.assertRaisesRegex(TypeError, "uint64", f.count, keys, hashed=True)


class Texts(unittest.TestCase):
    words = ["", "a", "Kyiv", "Київ", "東京", "x" * 300, "\U0001F40D", "tab\tand\x01"]

    def test_in_every_form_are_one_key(self):
        for hashing in HASHINGS:
            utf8 = [w.encode() for w in self.words]
            forms = [
                self.words, utf8, tuple(self.words), np.array(self.words), np.array(utf8),
                np.array(self.words, object), np.array(self.words).astype(">U300"),
                np.array(self.words * 2)[::2][:0].tolist() + self.words, iter(self.words),
            ]
            for i, inserted in enumerate(forms):
                f = of(inserted, **hashing)
                for j, asked in enumerate(forms[:-1]):
                    with self.subTest(f"{i} {j} {hashing}"):
                        self.assertEqual(f.count(asked), len(self.words))
                self.assertTrue(all(w in f and w.encode() in f for w in self.words))
                self.assertEqual(f.count(["b", b"c", "Lima"]), 0)

    def test_may_be_missing(self):
        keys = ["a", None, "b", float("nan")]
        f = of(keys)
        self.assertEqual(f.contains(keys).tolist(), [True, False, True, False])
        self.assertEqual(f.contains([None, "a"]).tolist(), [False, True])
        self.assertEqual(of([None, 3, None]).contains([3, None]).tolist(), [True, False])
        self.assertEqual(of([None]).count([None]), 0)
        nan = float("nan")
        self.assertEqual(of([nan, None, "b"]).contains([None, nan, "b"]).tolist(),
                         [False, False, True])

    def test_may_have_the_width_of_their_array(self):
        words = np.array(["ab", "cd", "ef"] * 7, "S")
        self.assertEqual(of(words).count(["ab", "cd", "ef", "a", ""]), 3)
        self.assertEqual(of(words[:0]).count(words), 0)
        self.assertEqual(of(np.array(["ab", "c", ""], "S")).count(["ab", "c", "", "cd"]), 3)

    def test_that_change_while_they_are_read_are_safe(self):
        keys = ["a", "b", "c"] * 10

        class UUID:
            @property
            def bytes(self):
                keys.clear()
                return b"0" * 16

        keys[5] = UUID()
        self.assertRaisesRegex(ValueError, "list of 30 keys has 0", of, keys)

    def test_are_no_keys_beside_numbers(self):
        for keys in (["a", 1], [1, "a"], [1.5, b"x"]):
            self.assertRaisesRegex(TypeError, "among", of, keys)

    def test_that_utf8_does_not_have_are_refused(self):
        self.assertRaises(UnicodeEncodeError, of, ["\ud800"])
        self.assertRaisesRegex(ValueError, "code point", of, np.array(["\ud800"]))

    def test_of_a_fixed_width_keep_their_zeros(self):
        rows = np.array([b"ab\0\0", b"\0\0\0\0"], "V4")
        f = of(rows)
        self.assertEqual(f.count(rows), 2)
        self.assertTrue(b"ab\0\0" in f)
        self.assertFalse(b"ab" in f)


class Masks(unittest.TestCase):
    def test_say_what_is_missing(self):
        keys = np.ma.masked_array(np.arange(20), mask=np.arange(20) % 3 == 0)
        f = of(keys)
        self.assertEqual(f.select(np.arange(20)).tolist(), [i for i in range(20) if i % 3])
        self.assertEqual(f.select(keys).tolist(), [i for i in range(20) if i % 3])


class Columns(unittest.TestCase):
    def test_of_a_row_are_one_key(self):
        day, city = np.arange(100, dtype=np.int32), ["c%d" % (i % 7) for i in range(100)]
        f = of(Rows(day, city))
        self.assertEqual(f.count(Rows(day.astype(float), np.array(city))), 100)
        self.assertEqual(f.count(Rows(day, city[1:] + city[:1])), 0)
        nulls = Rows(np.arange(2), [None, "a"])
        self.assertEqual(of(nulls).contains(nulls).tolist(), [False, True])
        equal = Rows(np.arange(2), [None, "a"], nulls="equal")
        self.assertEqual(of(equal).contains(equal).tolist(), [True, True])

    def test_that_make_no_sense_are_refused(self):
        self.assertRaises(TypeError, Rows)
        self.assertRaisesRegex(ValueError, "some", Rows, [1], nulls="some")
        self.assertRaisesRegex(ValueError, "columns of 1", of, Rows([1], [1, 2]))
        self.assertRaises(TypeError, of, Rows([1], object()))


class NoKeys(unittest.TestCase):
    def test_are_refused_by_name(self):
        f = Filter("split256", 10, 12)
        for keys, words in (("abc", "str is one key"), (b"abc", "bytes is one key"),
                            (np.zeros(3, complex), "complex128"), ([1, 2j], "2j"),
                            (np.zeros(3, "i4,f8"), "f0"), ([[1], [2]], r"\[1\]"),
                            (np.zeros(3, np.longdouble), "float"), (object(), "iterable")):
            for call in (f.insert, f.contains, f.select, f.count, f.bitmap):
                with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                    call(keys)
