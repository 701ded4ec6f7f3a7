"""Filters of joins: builders for threads, kinds, ranges, parts."""

import pickle
import unittest

import numpy as np

from simdbloom import Filter, JoinBuilder, JoinFilter, LoadError, Rows
from support import Case, built, optional

pandas = optional("pandas")


def join(keys, *args, **options):
    return built(keys, *args, **options).finish()


class Joins(Case):
    def test_take_what_fits(self):
        spread = np.arange(1, 5000, dtype=np.uint64)**4
        for kind, keys in (("none", np.array([], int)), ("list", np.array([5, 10**12])),
                           ("bitmap", np.arange(0, 7000, 7)), ("filter", spread)):
            with self.subTest(kind):
                f = join(keys, "auto", len(keys), 12)
                self.assertEqual(f.kind, kind)
                self.assertIn(kind, f.why)
                self.assertEqual(f.count(keys), len(keys))
                probe = np.arange(100000)
                flags = f.contains(probe)
                self.same(f.select(probe), np.flatnonzero(flags))
                self.assertLess(abs(flags.mean() - np.isin(probe, keys).mean()), 0.03)
                self.assertLess(f.estimated_fpr(), 0.03)

    def test_prune_ranges(self):
        f = join(np.arange(-500, 500), "auto", 1000, 12)
        self.assertEqual(f.prune(600, 2**64 - 1 - 10**6), "none")
        self.assertEqual(f.prune(-5, 5), "all")
        self.assertEqual(f.prune(400, 10**18), "maybe")
        self.assertEqual(f.prune(-2**63, -501), "none")
        self.assertRaises(ValueError, f.prune, 5, 4)
        self.assertRaises(OverflowError, f.prune, 0, 2**64)

    def test_of_strings_and_columns(self):
        words = ["w%d" % i for i in range(3000)]
        f = join(words)
        self.assertEqual(f.count(np.array(words)), 3000)
        self.assertLess(f.count(["v%d" % i for i in range(10000)]), 300)
        rows = Rows(np.arange(3000), words)
        self.assertEqual(join(rows).count(rows), 3000)

    def test_of_a_rate(self):
        keys = np.arange(1, 20001, dtype=np.uint64)**3
        f = join(np.concatenate([keys, keys]), "split256", fpr=0.01)
        self.assertAlmostEqual(f.estimated_fpr(), 0.01, delta=0.002)

    def test_unite_parts(self):
        keys = np.arange(0, 2 * 10**9, 10**6)
        whole = JoinBuilder("auto", 2000, 12)
        for some in (keys[:1000], keys[1000:]):
            part = built(some, "auto", 2000, 12).part()
            whole.unite(JoinFilter.from_bytes(part.to_bytes()))
        self.assertEqual(whole.finish().count(keys), 2000)

    def test_are_finished_once(self):
        builder = built([1, None, 3])
        self.assertEqual(builder.rows, 2)
        builder.finish()
        for call in (builder.finish, builder.part, lambda: builder.insert([1])):
            self.assertRaisesRegex(ValueError, "finished", call)

    def test_refuse_what_is_wrong(self):
        self.refuses(
            (ValueError, "nonsense", lambda: JoinBuilder("nonsense", 10, 12)),
            (ValueError, "cuckoo12", lambda: JoinBuilder("cuckoo12", 10, 12)),
            (TypeError, "takes fpr, or", lambda: JoinBuilder("auto", 10, 12, fpr=0.1)),
            (LoadError, "", lambda: JoinFilter.from_bytes(bytes(100))))

    def test_hash_rows_as_the_filter_does(self):
        def saved(f):
            """The bytes of a JoinFilter that has that filter."""
            def xxh64(data, seed):
                return int(Filter("split256", 9, 9, seed=seed).hashes([data])[0])

            header, inner = join(["x"], "split256", 1000, 12).to_bytes()[:64], f.to_bytes()
            return header + inner + xxh64(inner, xxh64(header, 0)).to_bytes(8, "little")

        words, secret = ["w%d" % i for i in range(500)], b"0123456789abcdef"
        for options in ({}, {"seed": 7}, {"hashing": "keyed", "secret": secret}):
            f = Filter("split256", 1000, 12, **options)
            f.insert(words)
            loads = {"secret": secret} if len(options) == 2 else {}
            g = JoinFilter.from_bytes(saved(f), **loads)
            self.assertEqual((g.kind, g.count(words)), ("filter", 500))
            if loads:
                self.assertRaisesRegex(TypeError, "keyed hash is not pickled", pickle.dumps, g)
                self.assertRaises(LoadError, JoinFilter.from_bytes, saved(f))


@unittest.skipIf(pandas is None, "pandas is not installed")
class Frames(Case):
    def test_are_joined_by_the_accessor(self):
        import simdbloom.frames  # noqa: F401
        n = 20000
        left = pandas.DataFrame({"k": np.arange(n) % 5000, "t": np.arange(n).astype(str),
                                 "d": pandas.to_datetime(np.arange(n), unit="s")},
                                index=np.arange(n) * 3)
        right = left.iloc[::7].rename(columns={"k": "key"}).sample(frac=1, random_state=1)
        for mine, theirs in ((["k"], ["key"]), (["t"], ["t"]), (["d"], ["d"]),
                             (["k", "t"], ["key", "t"]), (["k", "d"], ["key", "d"])):
            rows = pandas.MultiIndex.from_frame(left[mine])
            expected = left[rows.isin(pandas.MultiIndex.from_frame(right[theirs]))]
            named = {"left_on": mine, "right_on": theirs}
            pandas.testing.assert_frame_equal(left.bloom.semi_join(right, **named), expected)
            maybe = left.bloom.semi_join(right, **named, exact=False)
            self.assertTrue(expected.index.isin(maybe.index).all())
            self.assertLess(len(maybe), len(expected) + 0.05 * n)
        self.assertEqual(len(left.bloom.semi_join(right, on="t")), len(right))
        self.assertEqual(len(left.bloom.semi_join(right.iloc[:0], on="t")), 0)
        missing = pandas.DataFrame({"t": ["1", None, "x"]})
        self.assertEqual(missing.bloom.semi_join(missing, on="t").t.tolist(), ["1", "x"])
        with self.assertRaisesRegex(TypeError, "3 is not a data frame"):
            left.bloom.semi_join(3, on="t")
        hours = pandas.date_range("2020", periods=9, freq="H", tz="Asia/Tokyo")
        here = pandas.DataFrame({7: hours, "n": range(9)})
        there = pandas.DataFrame({7: hours[::2].tz_convert(None), "n": range(0, 9, 2)})
        for on in (7, [7, "n"]):
            for one, other in ((here, there), (there, here)):
                self.assertEqual(one.bloom.semi_join(other, on=on).n.tolist(), [0, 2, 4, 6, 8])
        for error, words, named in ((KeyError, "none", {"on": "none"}),
                                    (TypeError, "takes on, or", {}),
                                    (TypeError, "takes on, or", {"on": "t", "right_on": "t"}),
                                    (ValueError, "no columns", {"on": []}),
                                    (ValueError, "on 1 columns and 2",
                                     {"left_on": "t", "right_on": ["t", "d"]}),
                                    (TypeError, "cannot be probed",
                                     {"left_on": "k", "right_on": "t"})):
            with self.assertRaisesRegex(error, words):
                left.bloom.semi_join(right, **named)
