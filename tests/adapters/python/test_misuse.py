"""Misuse raises a Python exception and never crashes."""
# Promise of python_misuse: Every misuse raises a Python exception.

import datetime
import fractions
import io
import os
import signal
import subprocess
import sys

import numpy as np

import simdbloom
from simdbloom import Filter, JoinBuilder, JoinFilter, Map, Rows
from support import Case, of


class Text(str):
    pass


class Writer:
    def write(self, data):
        return "x"


class Index:
    def __index__(self):
        return 5


class BrokenIndex:
    def __index__(self):
        raise RuntimeError("of the index")


class OneKey(Case):
    def test_of_a_subclass_is_that_of_its_class(self):
        f = of([5, 6])
        f.add(Text("word"))
        self.assertTrue("word" in f and Text("word") in f and np.str_("word") in f)
        self.assertEqual(f.count([Text("word"), "word", b"word"]), 3)
        self.assertTrue(Index() in f and np.float16(5) in f and np.array(5) in f)
        self.assertEqual(f.count([Index(), True, np.int8(6)]), 2)

    def test_that_is_none_is_refused_by_name(self):
        f = of([1])
        for key in (fractions.Fraction(1, 2), datetime.timezone.utc, 2j, bytearray(b"a"), (1, 2)):
            for call in (f.add, f.__contains__, lambda k: f.insert([k])):
                with self.subTest(key), self.assertRaisesRegex(TypeError, "is not a key"):
                    call(key)
        for call in (f.add, lambda k: f.count([k])):
            self.assertRaisesRegex(RuntimeError, "of the index", call, BrokenIndex())
        with self.assertRaisesRegex(TypeError, "NaT"):
            np.datetime64("NaT") in of(np.array([5], "datetime64[D]"))
        with self.assertRaises(ZeroDivisionError):
            f.insert(1 // 0 for _ in range(3))
        with self.assertRaises(UnicodeEncodeError):
            "\ud800" in f


class Arrays(Case):
    def test_that_are_their_own_output(self):
        keys = np.arange(100, dtype=np.uint8)
        f = of(keys)
        self.assertTrue(f.contains(keys, out=keys).all())
        self.assertEqual(keys.tolist(), [1] * 100)

    def test_of_no_shape(self):
        f = of([1])
        for keys in (np.array(5), np.zeros((0, 3)), np.zeros(3, "(2,)i4"),
                     memoryview(b"abcdef").cast("B", (2, 3))):
            self.assertRaisesRegex(ValueError, "dimensions", f.contains, keys)
        for keys in (None, 5, 5.5, f):
            self.assertRaises(TypeError, f.contains, keys)

    def test_that_fail_say_why(self):

        class Broken:
            def __array__(self, dtype=None):
                raise LookupError("of the array")

        f = of([1])
        for call in (f.insert, lambda a: f.select([1], rows=a), lambda a: Map([1], a)):
            self.assertRaisesRegex(LookupError, "of the array", call, Broken())


class Calls(Case):
    def test_that_are_wrong_are_named_in_a_line(self):
        f, whole = of([1]), 2**64
        self.refuses(
            (ValueError, r"Filter\(\): n_keys=-1 is below 0", lambda: Filter("split256", -1, 12)),
            (TypeError, r"Filter\(\): n_keys='1' is not an integer",
             lambda: Filter("split256", "1", 12)),
            (TypeError, r"Filter\(\): n_keys=1.5 is not", lambda: Filter("split256", 1.5, 12)),
            (ValueError, r"n_keys=\d+ is too large", lambda: Filter("split256", whole, 12)),
            (TypeError, r"bits_per_key='12' is not a number", lambda: Filter("split256", 1, "12")),
            (TypeError, r"spec=1 is not str", lambda: Filter(1, 2, 3)),
            (TypeError, r"Filter\(\) is missing a required argument: 'spec'", lambda: Filter()),
            (TypeError, r"secret='x' is not bytes", lambda: Filter("classic", 9, 9, secret="x")),
            (TypeError, r"Filter.insert\(\) is missing .*'keys'", lambda: f.insert()),
            (TypeError, r"Filter.count\(\) got an unexpected .*'color'",
             lambda: f.count([1], color=2)),
            (TypeError, r"Filter.count\(\) got too many positional", lambda: f.count([1], True)),
            (TypeError, r"self=3 is not a Filter", lambda: Filter.insert(3, [1])),
            (TypeError, r"JoinBuilder.unite\(\): part=.* is not a JoinFilter",
             lambda: JoinBuilder().unite(f)),
            (ValueError, r"value_bits=5000000000 is too large",
             lambda: Map([1], [2], value_bits=5 * 10**9)),
            (ValueError, r"Filter.folded\(\): parts=-2 is below 0", lambda: f.folded(-2)),
            (TypeError, r"path=3 is not|3 is not a path", lambda: Filter.map(3)),
            (TypeError, r"huge_pages='a' is not a bool",
             lambda: Filter("split256", 1, 12, huge_pages="a")),
            (TypeError, r"hashed='x' is not a bool", lambda: f.insert([1], hashed="x")),
            (ValueError, r"Map\(keys, values\)", lambda: Filter("bloomier:r=8,f=8", 1, 12)),
            (TypeError, r"5 is not iterable: put one key in a list", lambda: f.insert(5)),
            (ValueError, r"shape \(2, 3\) has 2 dimensions.*Rows", lambda: f.count(np.eye(2, 3))),
            (TypeError, r"array\(\[1, 2\]\) is not a key", lambda: f.add(np.array([1, 2]))),
            (TypeError, r"datetime.date\(2020, 1, 1\) is among keys that are numbers",
             lambda: f.count([1, datetime.date(2020, 1, 1)])),
            (TypeError, r"out=\[2\] is not a NumPy array", lambda: f.contains([1], out=[2])),
            (ValueError, r"out, an array of shape \(4,\), is strided",
             lambda: f.contains([1], out=np.zeros(8, bool)[::2])),
            (TypeError, r"rows is .*, not one of uint32 and shape \(1, 1\)",
             lambda: f.select([1], rows=np.zeros((1, 1), np.uint32))),
            (ValueError, r"fpr=2.0 is not inside", lambda: f.folded_to_fpr(2)),
            (TypeError, r"'x' is neither bytes nor another buffer", lambda: Filter.from_bytes("x")),
            (TypeError, r"'x' is neither bytes nor another buffer", lambda: Filter.view("x")),
            (TypeError, r"write\(\) of <_io.StringIO.* takes no bytes",
             lambda: f.save(io.StringIO())),
            (ValueError, r'"growing16" has no size',
             lambda: simdbloom.expected_fpr("growing16", 10, 12)),
            (ValueError, r"advise\(\): n_keys=-5 is below 0", lambda: simdbloom.advise(-5, 50.0)),
            (ValueError, r"n_keys has the shape \(2, 2\)",
             lambda: simdbloom.CompactBank.for_fpr(np.ones((2, 2), int), 0.01)),
            (TypeError, r"write\(\) of .* returned 'x'", lambda: f.save(Writer())),
            (TypeError, r"CompactBank is made by .*for_fpr", lambda: simdbloom.CompactBank([5])),
            (TypeError, r"Choice is made by other calls", lambda: simdbloom.Choice()),
            line=r"[^\n]{10,120}")

    def test_of_a_map_give_no_keys(self):
        self.assertRaisesRegex(TypeError, "not iterable", iter, Map([1], [2]))


class Objects(Case):
    def test_whose_init_was_not_called_are_refused(self):
        calls = ((Filter, lambda f: f.count([1])), (Map, lambda m: m.n_keys),
                 (JoinBuilder, lambda b: b.rows), (JoinFilter, lambda j: j.why),
                 (simdbloom.ConcurrentFilter, lambda f: f.spec),
                 (simdbloom.CodeTable, lambda f: 1 in f),
                 (simdbloom.ForeignFilter, lambda f: f.to_bytes()),
                 (simdbloom.FilterTimes, lambda t: t.noise),
                 (Rows, lambda r: of([1]).count(r)), (simdbloom.Choice, lambda c: c.spec),
                 (simdbloom.Advice, lambda a: a.ranking), (simdbloom.ArrowColumn, len),
                 (simdbloom.FilterBank, len), (simdbloom.CompactBank, len))
        for cls, call in calls:
            with self.subTest(cls), self.assertRaisesRegex(TypeError, "__init__"):
                call(cls.__new__(cls))

        class Child(Filter):
            def __init__(self):
                pass

        self.assertRaisesRegex(TypeError, "__init__", Child)
        f, unmade, join = of([1]), Filter.__new__(Filter), JoinFilter.__new__(JoinFilter)
        for call in (lambda: f | unmade, lambda: simdbloom.estimated_union(f, unmade),
                     lambda: simdbloom.FilterBank.of([f, unmade]),
                     lambda: simdbloom.StarProbe([join]), lambda: JoinBuilder("auto").unite(join)):
            self.assertRaisesRegex(TypeError, "^simdbloom: __init__", call)
        for call in (lambda: f.count([unmade]), lambda: f.count(unmade)):
            self.assertRaisesRegex(TypeError, "simdbloom: <Filter instance", call)

    def test_that_are_no_filters_are_not_united(self):
        f = of([1])
        for other in (3, None, {1}, f.to_bytes()):
            with self.assertRaisesRegex(TypeError, "unsupported operand"):
                f | other
            with self.assertRaisesRegex(TypeError, "unsupported operand"):
                f &= other


PROCESS = """
import threading, time
import numpy as np, simdbloom
f, keys = simdbloom.Filter("split256", 10**6, 12), np.arange(10**6)
def run():
    while True:
        f.insert(keys)
        f.count(keys)
        1 in f
for _ in range(3):
    threading.Thread(target=run, daemon=True).start()
time.sleep(0.1)
in_a_cycle = [simdbloom.Map([1], [2]), f, np.arange(5)]
in_a_cycle.append(in_a_cycle)
"""


class Processes(Case):
    def test_end_while_threads_are_at_work(self):
        for _ in range(3):
            end = subprocess.run([sys.executable, "-X", "dev", "-c", PROCESS], capture_output=True,
                                 text=True, check=False)
            self.assertEqual((end.returncode, end.stderr), (0, ""))

    def test_that_fork_have_a_filter_each(self):
        f = of(range(100))
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            f.insert(range(10**6, 10**6 + 100))
            os._exit(0 if f.count(range(10**6, 10**6 + 100)) == 100 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertLess(f.count(range(10**6, 10**6 + 100)), 10)
