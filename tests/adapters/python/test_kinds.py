"""What a filter answers about keys of another kind: src/any/kinds.md."""

import datetime
import os
import pickle
import tempfile
import unittest
import uuid
import zoneinfo
from datetime import date, timedelta, timezone

import numpy as np

import arrow_objects
import simdbloom
from simdbloom import Filter, JoinFilter, Map, Rows
from support import aligned, built, kinds_table, of, optional

pandas = optional("pandas")
DAYS = np.array(["2020-01-01", "1969-12-31", "2024-02-29"], "M8[D]")
NUMPY = {"days": "D", "seconds": "s", "milliseconds": "ms", "microseconds": "us",
         "nanoseconds": "ns"}
# Where two kinds answer each other these are equal.
KEYS = {
    "integers": [np.array([5, -3, 0]), [5, -3, 0], np.array([5, -3, 0], np.int8)],
    "floats": [np.array([5.0, -3.0, -0.0]), [5.0, -3.0, 0.0], np.float32([5, -3, 0])],
    "bytes": [["a", "é", ""], np.array(["a", "é", ""]), [b"a", "é".encode(), b""]],
    "durations": [np.array([5, 0, -3], "m8[s]"), np.array([5000, 0, -3000], "m8[ms]"),
                  [timedelta(seconds=5), timedelta(0), np.timedelta64(-3, "s")]],
    "rows": [Rows([5, -3, 0], ["a", "é", ""]), Rows(np.array([5.0, -3, 0]), [b"a", "é", ""])],
    **{kind: [DAYS.astype(f"M8[{unit}]"), list(DAYS.astype(f"M8[{unit}]"))]
       for kind, unit in NUMPY.items()},
}
KEYS["days"].append([date(2020, 1, 1), date(1969, 12, 31), date(2024, 2, 29)])
KEYS["microseconds"].append([datetime.datetime(2020, 1, 1),
                             datetime.datetime(1969, 12, 31),
                             datetime.datetime(2024, 2, 29, 9,
                                               tzinfo=timezone(timedelta(hours=9)))])
if pandas:
    KEYS["nanoseconds"] += [pandas.to_datetime(DAYS), pandas.Series(pandas.to_datetime(DAYS)),
                            pandas.Series(pandas.to_datetime(DAYS)).dt.tz_localize("UTC"),
                            pandas.to_datetime(DAYS).tz_localize("UTC").tz_convert("Asia/Tokyo"),
                            [pandas.Timestamp(day) for day in DAYS]]


def every_filter_of(keys):
    """Filters of every make that hold the keys."""
    f = of(keys)
    yield f
    yield f.copy()
    yield pickle.loads(pickle.dumps(f))
    yield Filter.from_bytes(f.to_bytes())
    yield Filter.view(aligned(f))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f")
        f.save(path)
        yield Filter.load(path)
        yield Filter.map(path)
    added = Filter("cuckoo16", 1000, 20)
    added.insert_if_new(keys)
    yield added
    tried = Filter("counting", 1000, 48)
    tried.try_insert(keys)
    yield tried
    both = of([])
    both |= f
    yield both
    yield f | of([])
    yield simdbloom.build_filter(keys, 16)
    for spec in ("auto", "split256"):
        join = built(keys, spec, 1000, 30).finish()
        yield join
        yield JoinFilter.from_bytes(join.to_bytes())
        yield pickle.loads(pickle.dumps(join))


class Kinds(unittest.TestCase):
    def test_of_every_pair_are_answered_or_refused_as_the_page_says(self):
        table = kinds_table()
        self.assertEqual(set(table), set(KEYS) | {"other"})
        for kind, answers in table.items():
            if kind == "other":
                continue
            for form in KEYS[kind]:
                filters = list(every_filter_of(form)) if form is KEYS[kind][0] else [of(form)]
                for f in filters:
                    self.assertEqual(f.key_kind, kind)
                    for asked, forms in KEYS.items():
                        for keys in forms:
                            with self.subTest(f"{f} of {kind} asked about {asked}: {keys}"):
                                self.check(f, keys, asked in answers)

    def check(self, f, keys, answers):
        calls = [f.contains, f.bitmap, f.select, f.count, f.contains_arrow, f.select_arrow]
        if isinstance(f, Filter):
            calls.append(f.hashes)
        if answers:
            self.assertEqual(f.count(keys), 3)
            self.assertEqual(f.select(keys).tolist(), [0, 1, 2])
            if isinstance(f, Filter):
                self.assertEqual(f.count(f.hashes(keys), hashed=True), 3)
            return
        for call in calls:
            self.assertRaisesRegex(TypeError, "a filter of .* cannot be probed with", call, keys)

    def test_of_single_keys_are_answered_or_refused(self):
        table = kinds_table()
        singles = {kind: [key for form in forms[1:] for key in form][:12]
                   for kind, forms in KEYS.items() if kind != "rows"}
        singles["integers"] += [True, np.int8(5), np.uint64(0)]
        singles["integers"].remove(-3)  # True is 1
        for kind in singles:
            f = Filter("counting", 1000, 48)
            for key in singles[kind]:
                f.add(key)
            f.add(np.int64(1)) if kind in ("integers", "floats") else None
            for asked, keys in singles.items():
                for key in keys:
                    with self.subTest(f"{kind} asked about {key!r}"):
                        if asked in table[kind]:
                            self.assertIn(key, f)
                            continue
                        with self.assertRaisesRegex(TypeError, "cannot be probed with"):
                            key in f
                        self.assertRaisesRegex(TypeError, "cannot be probed with", f.discard, key)

    def test_of_maps_are_answered_or_refused(self):
        table = kinds_table()
        for kind in KEYS:
            m = Map(KEYS[kind][0], [1, 2, 3])
            self.assertEqual(m.key_kind, kind)
            self.assertEqual(Map.from_bytes(m.to_bytes()).key_kind, kind)
            for asked, forms in KEYS.items():
                for keys in forms:
                    if asked not in table[kind]:
                        self.assertRaisesRegex(TypeError, "cannot be probed with", m.lookup, keys)
                        continue
                    values, found = m.lookup(keys)
                    self.assertTrue(found.all())
                    self.assertEqual(values.tolist(), [1, 2, 3])
        m = Map(DAYS, [1, 2, 3])
        self.assertEqual(m[datetime.datetime(2020, 1, 1)], 1)
        with self.assertRaisesRegex(TypeError, "dates cannot be probed with integers"):
            m[18262]

    def test_that_go_in_together(self):
        for first, second, kind in (([1], [2.5], "floats"), ([2.5], [1], "floats"),
                                    ([1], ["a"], "unknown"), ([b"a"], Rows([1], [2]), "unknown")):
            f = of(first)
            f.insert(second)
            self.assertEqual(f.key_kind, kind)
            self.assertTrue(f.contains(first)[0] and f.contains(second)[0])
        f = of(DAYS)
        f.insert(DAYS.astype("M8[ns]") + np.timedelta64(1, "h"))
        self.assertEqual(f.key_kind, "days")
        self.assertEqual(f.count(DAYS.astype("M8[s]") + np.timedelta64(3600, "s")), 3)
        for keys in ([1], ["a"], np.array([1], "m8[s]")):
            self.assertRaisesRegex(TypeError, "cannot be keys of one filter", f.insert, keys)
            g = of(keys)
            for insert in (g.insert, g.insert_if_new, lambda keys: g.add(keys[0])):
                self.assertRaisesRegex(TypeError, "cannot be keys of one filter", insert, DAYS)
        with self.assertRaisesRegex(ValueError, "dates and instants in nanoseconds"):
            f |= of(DAYS.astype("M8[ns]"))
        f.clear()
        self.assertEqual(f.key_kind, "unknown")
        f.insert(["a"])
        self.assertEqual(f.key_kind, "bytes")

    def test_of_nothing_are_unknown(self):
        f = of([])
        for nothing in ([], [None], np.array([]), np.array(["NaT"], "M8"), iter([])):
            f.insert(nothing)
        self.assertEqual(f.key_kind, "unknown")
        f = pickle.loads(pickle.dumps(f)).copy()  # as a worker gets it
        f.insert(DAYS)
        self.assertEqual(f.key_kind, "days")
        for nothing in ([], [None], np.array([]), np.array(["NaT"], "M8")):
            self.assertEqual(f.count(nothing), 0)

    def test_of_times_have_every_unit_of_numpy(self):
        for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "25s", "3h"):
            with self.subTest(unit):
                times = np.array(["1975-01-01", "1992-12-31", "NaT"], "M8[D]").astype(f"M8[{unit}]")
                f = of(times)
                same = times.astype("M8[us]")
                self.assertEqual(f.contains(times).tolist(), [True, True, False])
                self.assertEqual(f.contains(same).tolist(), [True, True, False])
                self.assertEqual(of(same).contains(times).tolist(), [True, True, False])
                self.assertTrue(times[0] in f and same[1] in f and times[1] in of(same))
        self.assertEqual(of(np.array([7000], "M8[ps]")).count(np.array([7], "M8[ns]")), 1)
        f = of(np.array([1, 2], "m8[h]"))
        self.assertEqual(f.count(np.array([60, 7200], "m8[s]")), 1)
        self.assertEqual(f.count(np.array([60, 120], "m8[m]")), 2)
        self.assertEqual(of([datetime.time(12)]).count(np.array([12], "m8[h]")), 1)
        self.assertEqual(of([np.datetime64("9999-12-31")]).count([date(9999, 12, 31)]), 1)
        for keys, error in ((np.array([1], "m8[Y]"), TypeError), (np.array([1], "m8"), TypeError),
                            (np.array([1500], "M8[ps]"), OverflowError),
                            (np.array([2**62], "M8[Y]"), OverflowError),
                            ([np.datetime64(2**62, "D"), np.datetime64(1, "ns")], OverflowError),
                            ([date(2020, 1, 1), timedelta(1)], TypeError),
                            ([date(2020, 1, 1), 5], TypeError), ([5, date(2020, 1, 1)], TypeError),
                            ([datetime.time(1, tzinfo=timezone.utc)], TypeError)):
            with self.assertRaises(error, msg=repr(keys)):
                of(keys)

    def test_of_arrow_are_the_same(self):
        days = arrow_objects.Column(b"tdD", 3, [None, DAYS.astype(np.int32)])
        seconds = arrow_objects.Column(b"tss:+05:30", 3, [None, DAYS.astype("M8[s]").view("i8")])
        for unit in NUMPY.values():
            for column in (days, seconds):
                self.assertEqual(of(DAYS.astype(f"M8[{unit}]")).count(column), 3)
                self.assertEqual(of(column).count(DAYS.astype(f"M8[{unit}]")), 3)
        with self.assertRaisesRegex(TypeError, "integers cannot be probed with dates"):
            of([18262]).count(days)

    def test_of_rows_name_their_columns(self):
        f = of(Rows([1, 2], ["a", "b"]))
        self.assertEqual(f.count(Rows(np.array([1.0, 2]), [b"a", b"b"])), 2)
        with self.assertRaisesRegex(TypeError, r"\(numbers, text or bytes\) cannot be probed with "
                                    r"rows of \(text or bytes, numbers\)"):
            f.count(Rows(["a", "b"], [1, 2]))
        f = of(Rows(DAYS, [1, 2, 3]))
        self.assertEqual(f.count(Rows(DAYS.astype("M8[ns]"), [1, 2, 3])), 3)

    def test_of_uuids_are_bytes(self):
        some = [uuid.UUID(int=n << 100 | n) for n in range(1, 101)]
        f = of(some + [None])
        self.assertEqual((f.key_kind, f.count(some)), ("bytes", 100))
        self.assertEqual(f.count([u.bytes for u in some]), 100)  # as of DuckDB
        self.assertEqual(f.count([str(u) for u in some]), 0)
        self.assertTrue(some[3] in f and some[3].bytes in f and uuid.UUID(int=5) not in f)
        f.add(uuid.UUID(int=5))
        self.assertIn(uuid.UUID(int=5), f)
        self.assertEqual(f.count(np.array(some, object)), 100)
        self.assertEqual(Map(some, range(100))[some[7]], 7)
        with self.assertRaisesRegex(TypeError, "integers cannot be probed with"):
            some[0] in of([1])

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_of_pandas_columns(self):
        none = pandas.NA
        for values, kind in ((pandas.array([2**62 + 1, None, 3], "Int64"), "integers"),
                             (pandas.array([1, None, 0], "UInt8"), "integers"),
                             (pandas.array([True, none, True], "boolean"), "integers"),
                             (pandas.array([0.1, none, 3], "Float64"), "floats"),
                             (pandas.array(["a", none, "é"], "string"), "bytes"),
                             (pandas.Categorical(["a", None, "é"]), "bytes"),
                             (pandas.Categorical([7, None, 9]), "integers"),
                             (pandas.Categorical(DAYS[[0, 0, 1]]), "nanoseconds"),
                             (pandas.arrays.SparseArray([7, 0, 9]), "integers")):
            for form in (values, pandas.Series(values), pandas.Index(values)):
                with self.subTest(f"{values.dtype} {type(form)}"):
                    f = of(form)
                    self.assertEqual(f.key_kind, kind)
                    self.assertEqual(f.contains(form).tolist(), (~pandas.isna(values)).tolist())
                    self.assertEqual(f.count(list(values)), 3 - pandas.isna(values).sum())
        self.assertEqual(of(pandas.array([2**62 + 1, None], "Int64")).count([2**62]), 0)

    @unittest.skipUnless("Europe/Kyiv" in zoneinfo.available_timezones(), "tzdata is missing")
    def test_of_instants_have_no_zone(self):
        kyiv = zoneinfo.ZoneInfo("Europe/Kyiv")
        night = datetime.datetime(2020, 10, 25, 3, 30, tzinfo=kyiv)  # twice
        utc = [np.datetime64("2020-10-25T00:30"), np.datetime64("2020-10-25T01:30")]
        both = [night, night.replace(fold=1)]
        f = of(both)
        self.assertEqual((f.count(utc), f.count(np.array(utc, "M8[ns]"))), (2, 2))
        self.assertFalse(night.replace(tzinfo=None) in f)
        self.assertTrue(utc[0] in f and both[1].astimezone(timezone.utc) in f)
        old = datetime.datetime(1901, 2, 3, 4, 5, 6, 7, tzinfo=timezone(timedelta(hours=-5)))
        self.assertEqual(of([old]).count([old.astimezone(timezone.utc).replace(tzinfo=None)]), 1)
        if pandas:  # their Timestamps among datetimes
            mixed = [pandas.Timestamp(night), both[1], None, pandas.NaT]
            self.assertEqual(of(mixed).contains(utc + [None]).tolist(), [True, True, False])
            first = pandas.Timestamp(utc[0]).tz_localize("UTC")
            self.assertTrue(first in f and first.tz_convert("Asia/Tokyo") in f)

    @unittest.skipIf(pandas is None, "pandas is not installed")  # which needs tzdata
    def test_of_pandas_times(self):
        hours = pandas.date_range("2020-10-24", periods=60, freq="H", tz="UTC")
        utc = hours.to_numpy("M8[ns]")
        for zone in ("Europe/Kyiv", "Asia/Kolkata", "America/St_Johns", "UTC"):
            here = hours.tz_convert(zone)
            for form in (here, pandas.Series(here), here.array, list(here),
                         np.array(here, object), pandas.Categorical(here)):
                with self.subTest(f"{zone} {type(form)}"):
                    f = of(form)
                    self.assertEqual((f.key_kind, f.count(utc)), ("nanoseconds", 60))
                    self.assertEqual(of(utc[::2]).select(form).tolist(), list(range(0, 60, 2)))
        gaps = pandas.Series(hours).where(np.arange(60) % 3 != 0)
        self.assertEqual(of(gaps).count(utc), 40)
        self.assertEqual(of(gaps).contains(gaps).tolist(), gaps.notna().tolist())
        spans = pandas.Series(hours) - hours[0]
        self.assertEqual(of(spans).count([timedelta(hours=h) for h in range(60)]), 60)
        rows = pandas.DataFrame({"t": gaps, "n": pandas.array(range(60), "Int64")})
        self.assertEqual(of(Rows(rows.t, rows.n)).count(Rows(utc, np.arange(60))), 40)
        for keys in (pandas.period_range("2020", periods=3, freq="M"),
                     pandas.interval_range(0, 3)):
            self.assertRaisesRegex(TypeError, r"(Period|Interval)\(.* is not a key", of, keys)

    def test_of_ranges_are_integers(self):
        with self.assertRaisesRegex(TypeError, "dates cannot be probed with integers"):
            built(DAYS).finish().prune(1, 2)
