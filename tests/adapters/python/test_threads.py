"""Several threads at once, and nothing that leaks."""
# Promise of python_threads: Threads run during a batch and lose no key; nothing leaks.

import gc
import os
import sys
import threading
import time

import arrow_objects as arrow
import numpy as np

import simdbloom
from simdbloom import Filter, JoinBuilder, Rows
from support import Case, Stop, aligned, alarm, built, together


def runs_beside(call):
    """Whether this thread runs in 8 tenths of the time of a call on another."""
    span, ticks, done = [], [], threading.Event()

    def timed():
        span.append(time.perf_counter())
        call()
        span.append(time.perf_counter())
        done.set()

    thread = threading.Thread(target=timed)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        thread.start()
        while not done.is_set():
            ticks.append(time.perf_counter())
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    begin, end = span
    tenths = {int(10 * (t - begin) / (end - begin)) for t in ticks if begin < t < end}
    return len(tenths) >= 8


class Threads(Case):
    def test_run_while_a_batch_is_answered(self):
        f = Filter("sector512", 10**6, 16)
        keys = np.arange(2 * 10**7)
        room = np.empty(len(keys), bool)
        f.contains(keys, out=room)
        for call in (lambda: f.contains(keys, out=room), lambda: f.count(keys),
                     lambda: f.count(keys.view(np.float64)), lambda: f.insert(keys)):
            self.assertTrue(any(runs_beside(call) for _ in range(10)))

    def test_fill_one_filter_and_ask_it(self):
        n, count = 20000, 6
        keys = np.arange(n * count, dtype=np.int64)
        for spec in ("split256", "cuckoo16", "growing16", "scalable"):
            with self.subTest(spec):
                f = Filter(spec, n * count, 24)

                def fill(i, f=f):
                    mine = keys[i * n:(i + 1) * n]
                    for part in np.array_split(mine, 20):
                        f.insert(part)
                        assert f.count(part) == len(part)
                        assert int(part[0]) in f
                        f.add(len(keys) + int(part[0]))

                def ask(f=f):
                    for _ in range(30):
                        f.count(keys)
                        f.copy().select(keys[:1000])
                        f.estimated_fpr()
                        f.to_bytes()

                together(*[lambda i=i: fill(i) for i in range(count)], ask, ask)
                self.assertEqual(f.count(keys), len(keys))
                if spec == "split256":
                    alone = Filter(spec, n * count, 24)
                    alone.insert(np.append(keys, keys[::1000] + len(keys)))
                    self.assertTrue(f.to_bytes() == alone.to_bytes())

    def test_unite_both_ways(self):
        a, b = Filter("split256", 10**5, 12), Filter("split256", 10**5, 12)
        a.insert(np.arange(1000))
        b.insert(np.arange(1000, 2000))

        def unite(x, y):
            for _ in range(200):
                x |= y

        together(lambda: unite(a, b), lambda: unite(b, a), lambda: unite(a, b))
        self.assertEqual(a.to_bytes(), b.to_bytes())

    def test_fill_one_builder(self):
        builder = JoinBuilder("split256", 10**5, 12)
        keys = np.arange(10**5)
        together(*[lambda part=part: builder.insert(part) for part in np.array_split(keys, 8)])
        self.assertEqual(builder.rows, 10**5)
        self.assertEqual(builder.finish().count(keys), 10**5)


def resident():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Leaks(Case):
    def calls(self):
        f = Filter("split256", 1000, 12)
        numbers = np.arange(20000)
        floats, texts = numbers.astype(float), ["word %d" % i for i in range(2000)]
        padded, unicode = np.array(texts, "S"), np.array(texts)
        of_texts = Filter("split256", 1000, 12)
        of_texts.insert(texts)

        def join():
            j = built(texts, "auto", 100, 12).finish()
            j.from_bytes(j.to_bytes()).count(texts)

        def refused(call, *args, **options):
            try:
                call(*args, **options)
            except (TypeError, ValueError, OverflowError, RuntimeError):
                return
            raise AssertionError("was not refused")

        chunks = lambda **o: arrow.Chunks([arrow.integers(numbers)] * 3, **o)
        foreign = simdbloom.ForeignFilter("guava", 10**4, fpr=0.01)
        yield lambda: (foreign.insert(texts), foreign.count(unicode), foreign.contains(numbers))
        yield lambda: simdbloom.ForeignFilter.from_bytes(foreign.to_bytes(), "guava").copy()
        yield lambda: simdbloom.ConcurrentFilter("split256", 1000, 12).insert_if_new(numbers)
        yield lambda: refused(foreign.insert, floats)
        yield lambda: f.insert(numbers)
        yield lambda: f.contains(floats)
        yield lambda: f.select(numbers[::2])
        yield lambda: f.bitmap(numbers.astype(">i8"))
        yield lambda: [of_texts.count(x) for x in (texts, padded, unicode)]
        yield lambda: f.count([*range(3000)])
        yield lambda: f.insert_if_new(Rows(numbers, floats))
        yield lambda: Filter.from_bytes(f.to_bytes()).hashes(numbers)
        yield lambda: (f | f.copy()).folded(1)
        yield lambda: simdbloom.build_filter(numbers).copy()
        yield join
        yield lambda: f.select(chunks())
        yield lambda: f.insert(chunks())
        yield lambda: refused(f.contains, chunks(fails_after=1))
        yield lambda: refused(f.insert, texts + [3])
        yield lambda: refused(f.insert, [*range(3000), 2**70])
        yield lambda: refused(f.contains, numbers, out=np.empty(7, bool))
        yield lambda: refused(f.contains, np.zeros((200, 200)))
        yield lambda: refused(Filter.from_bytes, bytes(10**5))
        yield lambda: refused(Filter, "nonsense", 10, 12)
        yield lambda: Filter.view(aligned(f))
        yield lambda: f.contains_arrow(numbers).__arrow_c_array__()
        yield lambda: f.select_arrow(numbers).__arrow_c_array__()

    def test_are_none(self):
        for number, call in enumerate(self.calls()):
            with self.subTest(number):
                for _ in range(60):  # until the allocators have what they keep
                    call()
                arrow._capsules.clear()
                gc.collect()
                before = resident()
                for _ in range(200):
                    call()
                arrow._capsules.clear()
                gc.collect()
                # An array of 20,000 keys, kept by every call, would be 32 MB.
                self.assertLess(resident() - before, 2 << 20)
        self.assertEqual(arrow.live, {})

    def test_of_references_are_none(self):
        f, of_texts = (Filter("split256", 1000, 12) for _ in range(2))
        things = [np.arange(10), ["a", "b"], np.arange(10).astype(">i4"), "a key", 12345678,
                  np.empty(10, bool), memoryview(f.to_bytes())]
        gc.collect()
        before = [sys.getrefcount(thing) for thing in things]
        for _ in range(100):
            f.insert(things[0])
            of_texts.insert(things[1])
            f.count(things[2])
            things[3] in of_texts
            f.add(things[4])
            f.contains(things[0], out=things[5])
            Filter.from_bytes(things[6])
        self.assertEqual([sys.getrefcount(thing) for thing in things], before)


class Signals(Case):
    def test_end_long_calls_and_leave_the_filter_valid(self):
        many = np.zeros(1 << 30, np.int8)  # takes memory only where it is read
        f = Filter("classic:k=8", 1000, 40)
        f.insert(np.arange(1000))
        counting = lambda: Filter("counting", 1000, 48)
        calls = [(name, counting if name == "erase" else f.copy)
                 for name in ("insert", "try_insert", "erase", "contains", "select", "bitmap",
                              "count", "hashes")]
        calls += [(name, make) for name in ("insert", "count") for make in (
            lambda: simdbloom.ForeignFilter("guava", 10**4, fpr=0.001),
            lambda: simdbloom.ConcurrentFilter("classic:k=8", 1000, 40))]
        for name, make in calls:
            g = make()
            g.insert(np.arange(1000))
            begin = time.process_time()
            self.assertRaises(Stop, alarm, getattr(g, name), many)
            # A call that hears no signal takes 5 s and more.
            self.assertLess(time.process_time() - begin, 0.9, name)
            self.assertEqual(g.count(np.arange(1, 1000)), 999)
            g.insert([-1])  # no lock is held
            self.assertIn(-1, g)

    def test_are_heard_between_pieces_whose_answers_are_those_of_one(self):
        n = (1 << 21) + 12345
        for keys in (np.arange(n), np.arange(n, dtype=np.int32), np.arange(n) / 2,
                     np.arange(n).astype("M8[s]"), np.arange(n).astype("m8[ms]"),
                     np.arange(n).astype("S8"), np.arange(n).astype("V8"),
                     np.ma.masked_array(np.arange(n), np.arange(n) % 3 == 0)):
            f = Filter("split256", n, 20)
            f.insert(keys[::2])
            flags = f.contains(keys)
            expected = np.arange(n) % 2 == 0
            if isinstance(keys, np.ma.MaskedArray):
                expected &= np.arange(n) % 3 != 0
            self.assertTrue(flags[expected].all(), keys.dtype)
            self.assertLess(flags.sum(), expected.sum() * 1.01)
            self.same(f.select(keys), np.flatnonzero(flags))
            self.same(np.unpackbits(f.bitmap(keys), bitorder="little", count=n), flags)
            some = np.arange(n - 5, 3, -7, dtype=np.uint32)
            self.same(f.select(keys, rows=some), some[flags[some]])
            self.assertEqual(f.count(keys), flags.sum())
