#!/usr/bin/python3
"""Prints the times of C++ and of the Python package. usage: speed.py BUILD-FOLDER

BUILD-FOLDER has the libraries and python/simdbloom. Both sides take turns, 10^6 keys a call; a
time is the median."""

import ctypes
import datetime
import os
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(HERE + "/../../..")
sys.path[:0] = [BUILD + "/python", HERE]

import numpy as np  # noqa: E402

import arrow_objects as arrow  # noqa: E402
from simdbloom import Filter  # noqa: E402

N, WIDTH, ROUNDS = 10**6, 20, 15


def library(folder):
    path = os.path.join(folder, "speed.so")
    subprocess.run(["c++", "-std=c++20", "-O3", "-shared", "-fPIC", "-I", ROOT + "/include",
                    HERE + "/speed.cpp", "-o", path, "-L", BUILD, "-lsimdbloom", "-lcpu_features"],
                   check=True)
    cpp = ctypes.CDLL(path)
    cpp.seconds_of.restype = ctypes.c_double
    return cpp


def commit():
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True,
                              check=False).stdout.strip()
    return git("rev-parse", "--short=7", "HEAD") + ("-dirty" if git("status", "-s", "-uno") else "")


def main():
    words = ["https://x/%010d" % (7 * i) for i in range(N)]
    packed = "".join(words).encode()
    forms = [  # what it is, the form of C++, the keys of Python, the calls
        ("list of `str`", "strings", words, ("insert", "contains")),
        ("array of objects: `str`", "strings", np.array(words, object), ("insert", "contains")),
        ("list of `bytes`", "strings", [w.encode() for w in words], ("insert", "contains")),
        ("array of `S20`", "views", np.array(words, "S"), ("insert", "contains")),
        ("array of `S24`, padded", "views", np.array(words, "S24"), ("insert", "contains")),
        ("array of `U20`", "views", np.array(words), ("insert", "contains")),
        ("column of Arrow, utf8", "offsets", arrow.strings(words), ("insert", "contains")),
        ("array of int64", "numbers", np.arange(N), ("insert", "contains", "select")),
    ]
    with tempfile.TemporaryDirectory() as folder:
        cpp = library(folder)
        cpp.take(packed, ctypes.c_size_t(N), ctypes.c_size_t(WIDTH))
        print("| keys | `insert` | `contains` | `select` |\n|---|---|---|---|")
        for name, form, keys, calls in forms:
            f, cells = Filter("split256", N, 12), []
            for call in calls:
                times = []
                for i in range(ROUNDS + 2):
                    def of_cpp():
                        return cpp.seconds_of(call.encode(), form.encode())

                    def of_python():
                        begin = time.perf_counter()
                        getattr(f, call)(keys)
                        return time.perf_counter() - begin
                    if i % 2:
                        pair = of_cpp(), of_python()
                    else:
                        pair = tuple(reversed((of_python(), of_cpp())))
                    times.append(pair)
                times = times[2:]
                one, other = (statistics.median(t[i] for t in times) * 1e9 / N for i in (0, 1))
                cells.append(f"{one:.2f}, {other:.2f}")
            print(f"| {' | '.join([name, *cells, *[''] * (3 - len(cells))])} |", flush=True)
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        cpu = next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    now = datetime.datetime.now(datetime.timezone.utc)
    print(f"\nPrinted on {cpu}, `{Filter('split256', 1, 12).isa}`, commit {commit()}, Python "
          f"{sys.version.split()[0]}, NumPy {np.__version__}, {now:%Y-%m-%d %H:%M} UTC, by "
          "`tests/adapters/python/speed.py`.")


main()
