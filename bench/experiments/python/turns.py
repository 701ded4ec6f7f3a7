"""The Python side of python_batches: for each line of standard input, which names a piece of work,
the work is done once, and its CPU time in ns and what it found are printed.

usage: turns.py FOLDER    the folder with the filter and the keys
"""
import sys
import time

import numpy as np
import simdbloom


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

    def insert():
        room.insert(keys)

    return {
        "int64, bitmap": (lambda: f.bitmap(keys), found),
        "int64, bitmap, out=": (lambda: f.bitmap(keys, out=bits), found),
        "int64, bool": (lambda: f.contains(keys), lambda flags: int(flags.sum())),
        "int64, row numbers": (lambda: f.select(keys), len),
        "int64, count": (lambda: f.count(keys), int),
        "int64, insert": (insert, lambda _: room.count(keys)),
        "int32, bitmap": (lambda: f.bitmap(narrow), found),
        "float64, bitmap": (lambda: f.bitmap(doubles), found),
        "bytes of an S20 array, bitmap": (lambda: of_texts.bitmap(padded), found),
        "str of a list, bitmap": (lambda: of_texts.bitmap(texts), found),
    }


def main(folder):
    work = pieces(folder)
    for line in sys.stdin:
        call, count = work[line.rstrip("\n")]
        start = time.thread_time_ns()
        answer = call()
        ns = time.thread_time_ns() - start
        print(ns, count(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
