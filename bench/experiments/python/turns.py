"""The Python side of python_batches: for each line of standard input, which names a piece of work,
the work is done twice, and the CPU time of the second in ns and what it found are printed.

usage: turns.py FOLDER    the folder with the filter and the keys
"""
import os
import sys
import time

import numpy as np
import simdbloom

# A producer of Arrow's arrays without a library of Arrow's.
sys.path.append(os.path.join(os.path.dirname(__file__), "../../../tests/adapters/python"))
import arrow_objects


def pieces(folder):
    f = simdbloom.Filter.load(folder + "/filter")
    keys = np.fromfile(folder + "/keys", np.int64)
    padded = np.fromfile(folder + "/texts", "S20")
    texts = [text.decode() for text in padded]
    of_texts = simdbloom.Filter.load(folder + "/filter_of_texts")
    narrow, doubles = keys.astype(np.int32), keys.astype(np.float64)
    room = simdbloom.Filter("split256", len(keys), 12)
    bits = np.empty((len(keys) + 7) // 8, np.uint8)

    def found(bits):
        return int(np.unpackbits(bits).sum())

    in_arrow = arrow_objects.integers(keys)

    def flags_of(keys):
        return (lambda: f.contains(keys), lambda flags: int(flags.sum()))

    def inserted(keys):
        return (lambda: room.insert(keys), lambda _: room.count(keys))

    return {
        "int64, bitmap": (lambda: f.bitmap(keys), found),
        "int64, bitmap, out=": (lambda: f.bitmap(keys, out=bits), found),
        "int64, bool": flags_of(keys),
        "int64, row numbers": (lambda: f.select(keys), len),
        "int64, count": (lambda: f.count(keys), int),
        "int64, insert": inserted(keys),
        "int32, bitmap": (lambda: f.bitmap(narrow), found),
        "int32, bool": flags_of(narrow),
        "int32, insert": inserted(narrow),
        "float64, bitmap": (lambda: f.bitmap(doubles), found),
        "float64, bool": flags_of(doubles),
        "float64, row numbers": (lambda: f.select(doubles), len),
        "int64 of an Arrow array, bitmap": (lambda: f.bitmap(in_arrow), found),
        "bytes of an S20 array, bitmap": (lambda: of_texts.bitmap(padded), found),
        "str of a list, bitmap": (lambda: of_texts.bitmap(texts), found),
    }


def main(folder):
    work = pieces(folder)
    for line in sys.stdin:
        call, count = work[line.rstrip("\n")]
        call()  # the keys and the filter are in the caches then, as on the other side
        start = time.thread_time_ns()
        answer = call()
        ns = time.thread_time_ns() - start
        print(ns, count(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
