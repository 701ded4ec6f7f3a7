"""What machines and threads of a join share: exchanges, saved parts, messages, governors."""

import pickle

import numpy as np

import simdbloom
from simdbloom import (Filter, FilterExchange, Governor, JoinBuilder, JoinCounters, JoinFilter,
                       LoadError, StarProbe)
from support import Case, built, of


def part(keys, *args, spec="split256", n_keys=3000):
    return built(keys, spec, n_keys, 12, *args).part()


class Exchanges(Case):
    def test_are_complete_when_every_sender_is(self):
        keys = [np.arange(s, 3000, 3) * 10**6 for s in range(3)]
        for spec in ("split256", "auto"):
            exchange = FilterExchange(3, 1 << 20, spec, 3000, 12)
            parts = [("part", s, part(keys[s], spec=spec).to_bytes()) for s in range(3)]
            for s in (2, 0, 1):
                self.assertEqual(exchange.state, "open")
                self.assertEqual(exchange.filter.count([-5]), 1)  # accepts all rows
                self.assertEqual(exchange.take("sealed", s, number=1), "counted")
                self.assertFalse(exchange.is_complete(s))
                before = exchange.waiting_for
                self.assertEqual(exchange.take(*parts[s]), "counted")
                self.assertTrue(exchange.is_complete(s))
                self.assertEqual(exchange.waiting_for, before - 1)
            self.assertEqual((exchange.state, exchange.counts["counted"]), ("sealed", 6))
            self.assertEqual([exchange.filter.count(mine) for mine in keys], [1000] * 3)
            self.assertLess(exchange.filter.count(np.arange(10**4) + 1), 200)
            self.assertEqual(exchange.take(*parts[0]), "late")

    def test_that_fail_accept_all_rows(self):
        data = part([1, 2]).to_bytes()
        exchange = FilterExchange(2, 1 << 20, "split256", 3000, 12)
        self.assertEqual(exchange.take("part", 0, data), "counted")
        self.assertEqual(exchange.take("part", 0, data), "duplicate")
        self.assertEqual(exchange.take("part", 1, data[:-1]), "refused")
        self.assertEqual(exchange.take("part", 1, part([3], n_keys=9).to_bytes()), "refused")
        self.assertGreater(exchange.size_in_bytes, len(data) - 1)
        self.assertEqual(exchange.take("sealed", 0, number=1), "counted")
        self.assertEqual(exchange.take("failed", 1), "counted")
        self.assertEqual(exchange.take("part", 1, memoryview(data), attempt=1), "counted")
        self.assertEqual(exchange.take("part", 1, data, attempt=0), "late")
        self.assertRegex(exchange.why, "all: 1 of 2 senders were missing: 1")
        exchange.close()
        self.assertEqual((exchange.state, exchange.filter.kind), ("late", "all"))
        self.assertEqual(exchange.counts,
                         {"counted": 4, "duplicate": 1, "late": 1, "refused": 2})
        small = FilterExchange(1, 100, "split256", 3000, 12)
        small.take("part", 0, data)
        self.assertEqual(small.state, "too large")
        told = FilterExchange(1, 100, "split256", 3000, 12)
        told.take("too large", 0)
        self.assertEqual(told.state, "too large")

    def test_refuse_what_is_wrong(self):
        exchange = FilterExchange(2, 1 << 20, "split256", 3000, 12)
        self.refuses(
            (ValueError, "senders=0", lambda: FilterExchange(0, 9, "split256", 9, 12)),
            (ValueError, "senders=1152921504606846976,",
             lambda: FilterExchange(2**60, 9, "split256", 9, 12)),
            (ValueError, "max_bytes=0", lambda: FilterExchange(1, 0, "split256", 9, 12)),
            (ValueError, 'kind="whole" is not', lambda: exchange.take("whole", 0)),
            (IndexError, "no sender 2: there are 2", lambda: exchange.take("sealed", 2)),
            (TypeError, '"part" needs data', lambda: exchange.take("part", 0)),
            (TypeError, '"sealed" has no data', lambda: exchange.take("sealed", 0, b"x")),
            (IndexError, "no sender 2: there are 2", lambda: exchange.is_complete(2)))


class SavedParts(Case):
    def test_are_united_as_filters_are(self):
        a, b = of(range(500)), of(range(300, 900))
        self.assertEqual(simdbloom.unite_saved(a.to_bytes(), b.to_bytes()), (a | b).to_bytes())
        keyed = [of([i], hashing="keyed", secret=b"0" * 16).to_bytes() for i in range(2)]
        both = Filter.from_bytes(simdbloom.unite_saved(*keyed), secret=b"0" * 16)
        self.assertEqual(both.count([0, 1]), 2)
        for wrong, fault in ((b"", "too_short"), (of([1], seed=5).to_bytes(), "unlike"),
                             (Filter("cuckoo12", 9, 20).to_bytes(), "unlike")):
            with self.assertRaises(LoadError) as raised:
                simdbloom.unite_saved(of([1]).to_bytes(), wrong)
            self.assertEqual(raised.exception.fault, fault)

    def test_say_which_are_missing(self):
        keys = [np.arange(s, 3000, 3) * 10**9 for s in range(3)]
        saved = [simdbloom.save_part(part(keys[s]), s, 3) for s in range(3)]
        whole = saved[0]
        for s, missing in ((0, [1, 2]), (2, [1]), (2, [1]), (1, [])):
            whole = simdbloom.unite_saved(whole, saved[s])
            self.assertEqual(simdbloom.missing_parts(whole), missing)
            f = JoinFilter.from_bytes(whole)
            self.assertEqual(f.kind, "all" if missing else "filter")
        self.assertTrue(all(f.count(mine) == 1000 for mine in keys))
        self.assertRaises(IndexError, simdbloom.save_part, f, 3, 3)
        self.assertRaises(LoadError, simdbloom.missing_parts, b"x" * 100)

    def test_of_lists_are_united_by_a_builder(self):
        a, b = (part(np.arange(50) * 10**12 + i, spec="auto").to_bytes() for i in range(2))
        with self.assertRaises(LoadError) as raised:
            simdbloom.unite_saved(a, b)
        self.assertEqual(raised.exception.fault, "unlike")
        rather = JoinBuilder("auto", 3000, 12)
        f = JoinFilter.from_bytes(simdbloom.unite_saved(a, b, rather=rather))
        self.assertEqual(f.count(np.arange(50) * 10**12 + 1), 50)
        self.assertRaisesRegex(ValueError, "finished", rather.finish)


class Builders(Case):
    def test_accept_all_rows_until_all_is_sealed(self):
        for seal in (True, False):
            builder = JoinBuilder("auto")
            self.assertEqual([builder.announce(2), builder.announce(1)], [0, 2])
            builder.insert([1, 2, 3])
            for partition in range(2 + seal):
                builder.seal(partition)
            self.assertEqual((builder.unsealed, builder.key_kind), (1 - seal, "integers"))
            self.assertRaisesRegex(ValueError, "partition 0 is sealed", builder.seal, 0)
            self.assertRaisesRegex(IndexError, "partition 3 is not among", builder.seal, 3)
            f = builder.finish()
            self.assertEqual((f.kind, f.count([1, 9])), ("list", 1) if seal else ("all", 2))
            self.assertEqual(f.range, (1, 3) if seal else None)

    def test_take_limits_and_times(self):
        builder = JoinBuilder("auto", max_bytes=1 << 16)
        builder.keep_at_most(1 << 12)
        builder.insert(np.arange(10_000) * 10**9)
        self.assertEqual(builder.finish().count(np.arange(10_000) * 10**9), 10_000)
        self.assertRaises(ValueError, JoinBuilder("split256", 10, 12).keep_at_most, 1)
        times = simdbloom.FilterTimes.measure(10_000)
        builder = JoinBuilder("auto")
        builder.use_times(times)
        builder.insert(np.arange(10_000, dtype=np.uint64)**3)
        f = builder.finish()
        self.assertEqual(f.kind, "filter")
        isa = simdbloom.usable_isas()[-1]
        absent, present, insert = times.predicted("split256", isa, 1 << 14)
        self.assertTrue(0 < min(absent, present, insert) and max(absent, present, insert) < 1e5)
        self.assertRaises(ValueError, times.predicted, "nonsense", isa, 1 << 14)
        self.assertRaises(ValueError, JoinBuilder("split256", 10, 12).use_times, times)
        self.assertRaisesRegex(TypeError, "times=3 is not a FilterTimes", builder.use_times, 3)

    def test_give_filters(self):
        builder = built(["a", "b"], "split256", 1000, 12)
        f = builder.filter()
        g = Filter("split256", 1000, 12)
        g.insert(["c"])
        self.assertEqual((f | g).count(["a", "b", "c"]), 3)
        self.assertRaisesRegex(ValueError, "finished", builder.filter)
        self.assertRaises(ValueError, JoinBuilder("auto").filter)

    def test_know_what_a_filter_is_worth(self):
        keys = np.arange(20_000, dtype=np.uint64)**3
        for f in (built(keys), built(keys).finish(), of(keys[:500])):
            worth = f.worth(10_000)
            self.assertTrue(worth.pays and worth.gain_ns > 5000 and worth.bytes > 0)
            self.assertLess(worth.fpr, 0.1)
            self.assertFalse(f.worth(10_000, hits=1).pays)
            self.assertRaises(ValueError, f.worth, -1)
            self.assertRaises(ValueError, f.worth, 1, hits=2)

    def test_of_none_and_of_all(self):
        every, none = JoinFilter.accept_all(), JoinFilter.accept_none()
        self.assertEqual((every.count([1, None]), none.count([1, None])), (1, 0))
        self.assertEqual(pickle.loads(pickle.dumps(none)).kind, "none")


class Governors(Case):
    def test_pause_and_go_on(self):
        governor = Governor(stop_at=0.2, sample_rows=100, first_pause=50, longest_pause=300)
        governor.record(60, 30)
        self.assertTrue(governor.should_probe(10))
        governor.record(40, 10)
        self.assertEqual((governor.pass_rate, governor.paused), (0.4, True))
        self.assertEqual([governor.should_probe(30) for _ in range(3)], [False, False, True])
        self.assertEqual((governor.paused, governor.skipped), (False, 60))
        self.assertAlmostEqual(Governor.for_costs(5, 50).stop_at, 0.9)
        self.refuses(
            (ValueError, "stop_at|2", lambda: Governor(stop_at=2)),
            (ValueError, "rows|0", lambda: Governor(sample_rows=0)),
            (ValueError, "", lambda: Governor(first_pause=10, longest_pause=9)),
            (ValueError, "", lambda: Governor.for_costs(0, 50)),
            (ValueError, "passed=5 is above rows=3", lambda: Governor().record(3, 5)))

    def test_count(self):
        a, b = JoinCounters(), JoinCounters()
        self.assertEqual((a.pass_rate, a.measured_fpr), (1, None))
        a.record(100, 30, 20)
        a.record(10, 1)
        b.skip(7)
        b += a
        self.assertEqual((b.asked, b.passed, b.skipped), (110, 31, 7))
        self.assertEqual((b.measured_fpr, b.saved_ns(10, 1)), (10 / 80, 79 * 10 - 110))
        self.assertRaisesRegex(ValueError, "passed=5 is above rows=3", a.record, 3, 5)
        self.assertRaisesRegex(ValueError, "joined=3 is above passed=2", a.record, 3, 2, 3)

    def test_of_a_star(self):
        n = 100_003
        rng = np.random.default_rng(3)
        sides = [np.arange(0, 10_000, step) * 10**6 for step in (2, 9, 50)]
        filters = [built(side, "auto", len(side), 40).finish() for side in sides]
        columns = [rng.integers(0, 10_000, n) * 10**6 for _ in sides]
        columns[1] = np.ma.masked_array(columns[1], np.arange(n) % 5 == 0)
        expected = np.flatnonzero(np.logical_and.reduce(
            [np.isin(np.asarray(c), s) for c, s in zip(columns, sides)]) & (np.arange(n) % 5 != 0))
        for governor in (None, Governor(stop_at=1)):
            probe = StarProbe(filters, governor=governor)
            self.same(probe.select(columns), expected)
            self.assertEqual(probe.order[0], 2)
            self.assertAlmostEqual(probe.pass_rates[2], 0.02, delta=0.01)
            counters = probe.counters
            self.assertGreater(counters[2].asked, n / 2)
            self.assertLess(counters[probe.order[-1]].asked, n / 2)
            self.assertEqual(probe.paused, [False] * 3)
        paused = StarProbe(filters[:1], governor=Governor(stop_at=0.3))
        self.assertGreater(len(paused.select(columns[:1])), 60_000)
        self.assertTrue(paused.paused[0] and paused.counters[0].skipped > 30_000)
        text = StarProbe([built(["a", "b"]).finish()])
        self.assertEqual(text.select([["a", None, "c", "b"]]).tolist(), [0, 3])
        self.refuses(
            (TypeError, "3 is not a JoinFilter", lambda: StarProbe([3])),
            (TypeError, "filters=3 is not iterable", lambda: StarProbe(3)),
            (ValueError, "no filters", lambda: StarProbe([])),
            (ValueError, "1 columns for 3 filters", lambda: probe.select(columns[:1])),
            (ValueError, "columns of 1 and 2 rows", lambda: probe.select([[1], [1, 2], [1]])),
            (TypeError, "cannot be probed with", lambda: text.select([[5]])))


class Messages(Case):
    def test_say_what_the_sender_lacks(self):
        mine = ["k%d" % i for i in range(5000)]
        theirs = mine[:4000] + [None] + ["t%d" % i for i in range(1000)]
        for options in ({}, {"seed": 7, "spec": "split256"},
                        {"hashing": "keyed", "secret": b"1" * 16}):
            message = simdbloom.reconciliation_message(mine, 10, **options)
            secret = {k: options[k] for k in ("secret",) if k in options}
            positions, missed = simdbloom.missing_at_sender(message, theirs, **secret)
            self.assertEqual(positions.dtype, np.uint64)
            self.assertTrue(set(positions) <= set(range(4001, 5001)))
            self.assertAlmostEqual(1 - len(positions) / 1000, missed, delta=0.03)
            self.assertEqual(Filter.from_bytes(message, **secret).count(mine), 5000)
        days = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
        message = simdbloom.reconciliation_message(days[:1], 30)
        positions, _ = simdbloom.missing_at_sender(message, days.astype("M8[ns]"))
        self.assertEqual(positions.tolist(), [1])
        self.refuses(
            (TypeError, "cannot be probed", lambda: simdbloom.missing_at_sender(message, [1])),
            (LoadError, "", lambda: simdbloom.missing_at_sender(b"x" * 100, [1])),
            (ValueError, "secret", lambda: simdbloom.reconciliation_message(
                [1], 10, hashing="keyed")),
            (ValueError, "", lambda: simdbloom.reconciliation_message([], 10)),
            (ValueError, "", lambda: simdbloom.reconciliation_message([1], 0)))

    def test_estimate_what_two_filters_share(self):
        a, b = (Filter("split256", 10_000, 12) for _ in range(2))
        a.insert(np.arange(8000))
        b.insert(np.arange(5000, 10_000))
        for of_both, n in ((simdbloom.estimated_union, 10_000),
                           (simdbloom.estimated_intersection, 3000)):
            keys, error = of_both(a, b)
            self.assertLess(abs(keys - n), 5 * error)
            self.assertAlmostEqual(of_both(a, a)[0], a.estimated_keys()[0], delta=1)
            self.assertRaises(ValueError, of_both, a, Filter("split256", 10, 12))
            self.assertRaisesRegex(TypeError, "b=3 is not a Filter", of_both, a, 3)
