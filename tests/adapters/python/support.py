"""What the tests of the Python package share."""

import concurrent.futures
import importlib.util
import os
import re
import signal
import unittest

import numpy as np

from simdbloom import Filter, JoinBuilder

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


class Case(unittest.TestCase):
    """A test case that can compare arrays and check a list of wrong calls."""

    same = staticmethod(np.testing.assert_array_equal)

    def refuses(self, *calls, line=r"[^\n]{10,240}"):
        """Each call, a row of (error, words, call), raises that error, which has the words and one
        line that begins with the name of the library."""
        for error, words, call in calls:
            with self.subTest(words), self.assertRaisesRegex(error, words) as raised:
                call()
            if line:
                self.assertRegex(str(raised.exception), f"^simdbloom: {line}$")


def together(*calls):
    """Runs the calls on threads of their own, and raises what one of them raised."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        for call in [pool.submit(call) for call in calls]:
            call.result()


class Stop(Exception):
    """What the signal of alarm() raises."""


def alarm(call, *args):
    """Calls call(*args), and raises Stop in it after 0.1 s."""
    def stop(*_):
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        call(*args)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def optional(name):
    """The module, or None where it is not installed."""
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def of(keys, **options):
    f = Filter("split256", 10000, 30, **options)
    f.insert(keys)
    return f


def built(keys, *args, **options):
    """A JoinBuilder with the keys."""
    builder = JoinBuilder(*args, **options)
    builder.insert(keys)
    return builder


def aligned(f):
    """The bytes of the filter at a multiple of 64."""
    data = np.frombuffer(f.to_bytes(), np.uint8)
    memory = np.empty(len(data) + 64, np.uint8)
    buffer = memory[-memory.ctypes.data % 64:][:len(data)]
    buffer[:] = data
    return buffer


def kinds_table():
    """{kind of a filter: the kinds of questions that it answers, its own among them}, as
    src/any/kinds.md says, which is the rule that all front ends follow."""
    with open(ROOT + "/src/any/kinds.md", encoding="utf-8") as page:
        rows = [line.split("|")[1:4] for line in page if line.startswith("| `")]
    return {re.findall("`(.*?)`", kind)[0]: set(re.findall("`(.*?)`", kind + answers))
            for kind, _, answers in rows}
