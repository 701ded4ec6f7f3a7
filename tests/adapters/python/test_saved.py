"""Every structure that has bytes: files, buffers, views, pickles and copies."""

import copy
import io
import mmap
import os
import pickle
import tempfile

import numpy as np

import simdbloom
from simdbloom import CompactBank, Filter, FilterBank, JoinFilter, LoadError, Map
from support import Case, aligned, built, of
from test_bank import filled as bank_of
from test_filter import SPECS, filled
from test_structures import foreign

PROBE = np.arange(20_000)


def join_of(keys):
    return built(keys, "auto", len(keys), 12).finish()


def every_structure():
    """(name, a structure with keys, the arguments of its from_bytes and load behind the bytes)"""
    for spec in SPECS:
        yield spec, filled(spec), ()
    yield "fuse", simdbloom.build_filter(np.arange(1000)), ()
    yield "map", Map(np.arange(1000), np.arange(1000) % 200), ()
    for kind, keys in (("none", []), ("list", [5, 10**12]), ("bitmap", np.arange(0, 7000, 7)),
                       ("filter", np.arange(1, 5000, dtype=np.uint64)**4)):
        yield kind, join_of(keys), ()
    for cls in (FilterBank, CompactBank):
        yield cls.__name__, bank_of(cls)[0], ()
    for name in simdbloom.foreign_formats():
        f = foreign(name)
        f.insert(np.arange(500))
        yield name, f, (name,)


def answers(thing):
    return np.stack(thing.lookup(PROBE)) if isinstance(thing, Map) else thing.contains(PROBE)


def facts(thing):
    names = "spec n_keys seed key_kind kind format".split()
    return [str(getattr(thing, name, None)) for name in names]


class Raw(io.RawIOBase):
    """Writes 100 bytes at most."""
    data = b""

    def write(self, more):
        self.data += bytes(more[:100])
        return min(100, len(more))


class Structures(Case):
    def test_answer_as_before(self):
        for name, thing, how in every_structure():
            cls, data, before = type(thing), thing.to_bytes(), answers(thing)
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path, file, raw = os.path.join(folder, "f"), io.BytesIO(), Raw()
                for to in (path, file, raw):
                    thing.save(to)
                self.assertEqual((file.getvalue(), raw.data), (data, data))
                with open(path, "rb") as there:
                    again = [cls.load(there, *how)]
                again += [cls.load(path, *how), cls.load(io.BytesIO(data), *how)]
                buffers = data, memoryview(bytearray(data)), np.frombuffer(data, np.uint8)
                again += [cls.from_bytes(buffer, *how) for buffer in buffers]
                again += [pickle.loads(pickle.dumps(thing, protocol))
                          for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
                if hasattr(cls, "copy"):
                    again += [thing.copy(), copy.copy(thing), copy.deepcopy(thing)]
                views = []
                if name in ("growing16", "scalable"):  # several filters
                    self.fault("structure", cls.map, path)
                elif hasattr(cls, "map"):
                    views = [cls.map(path)]
                if hasattr(cls, "map") and hasattr(cls, "view"):
                    views += [cls.view(data), cls.view(aligned(thing))]
                    again += [view.copy() for view in views]
                for other in again + views:
                    self.assertEqual((other.to_bytes(), facts(other)), (data, facts(thing)))
                    self.same(answers(other), before)
                if hasattr(cls, "read_only"):
                    self.assertEqual([other.read_only for other in again + views],
                                     [False] * len(again) + [True] * len(views))

    def test_that_are_read_only_do_not_change(self):
        unequal = bank_of(CompactBank)[0]
        for thing in (filled("sector512"), simdbloom.build_filter([1, 2]), bank_of(FilterBank)[0],
                      unequal):
            view = type(thing).view(aligned(thing))
            calls = [view.clear]
            if isinstance(view, Filter):
                calls += [lambda: view.insert([1]), lambda: view.add(1), view.accept_all,
                          lambda: view.insert_if_new([1]), lambda: view.try_insert([1])]
            else:
                calls += [lambda: view.insert(0, [1]), lambda: view.clear_set(0),
                          lambda: view.add_set(*[9] * (thing is unequal))]
            if isinstance(view, FilterBank):
                calls.append(lambda: view.resize(3))
            self.refuses(*[(ValueError, "read-only; copy", call) for call in calls])
            self.assertEqual(view.to_bytes(), thing.to_bytes())

    def test_that_were_banks_take_sets(self):
        for cls, n_keys in ((FilterBank, ()), (CompactBank, (9,))):
            bank = bank_of(cls)[0]
            for other in (cls.from_bytes(bank.to_bytes()), bank.copy(),
                          cls.view(aligned(bank)).copy()):
                other.insert(other.add_set(*n_keys), [10**12])
                self.assertIn(len(bank), other.select(10**12))

    def test_that_are_keyed_need_their_secret(self):
        for thing in (filled(hashing="keyed"), *(bank_of(cls, 3, hashing="keyed")[0]
                                                 for cls in (FilterBank, CompactBank))):
            data, cls = thing.to_bytes(), type(thing)
            self.assertEqual((thing.hashing, len(thing.secret)), ("keyed", 16))
            self.same(answers(cls.from_bytes(data, secret=thing.secret)), answers(thing))
            self.assertRaisesRegex(TypeError, "keyed", pickle.dumps, thing)
            for options in ({}, {"secret": b"x" * 16}):
                self.fault("secret", cls.from_bytes, data, **options)

    def fault(self, fault, call, *args, **options):
        with self.assertRaises(LoadError) as raised:
            call(*args, **options)
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((again.fault, str(again)), (fault, str(raised.exception)))

    def test_whose_bytes_are_damaged_are_refused(self):
        others = {Filter: Map([1], [2]), Map: filled(), JoinFilter: filled(), FilterBank: filled(),
                  CompactBank: filled()}
        for thing in (filled(), Map([1, 2], [3, 4]), join_of(np.arange(100) * 10**9),
                      bank_of(FilterBank, 3)[0], bank_of(CompactBank, 3)[0]):
            data, cls, pickled = thing.to_bytes(), type(thing), pickle.dumps(thing)
            at = pickled.index(data)

            def flipped(i, bit=1):
                return data[:i] + bytes([data[i] ^ bit]) + data[i + 1:]

            size = "checksum" if cls is JoinFilter else "size"
            for wrong, fault in ((b"", "too_short"), (data[:-1], size), (data + b"x", size),
                                 (flipped(0), "foreign"), (flipped(8, 64), "version"),
                                 (flipped(len(data) - 9), "checksum")):
                with self.subTest(f"{cls} {fault}"):
                    self.fault(fault, cls.from_bytes, wrong)
                    self.fault(fault, cls.load, io.BytesIO(wrong))
                    if len(wrong) == len(data):
                        self.fault(fault, pickle.loads,
                                   pickled[:at] + wrong + pickled[at + len(data):])
            if cls is not Filter:
                self.fault("structure", cls.from_bytes, others[cls].to_bytes())
            self.fault("limit", cls.from_bytes, data, max_bytes=1)
        self.assertRaises(LoadError, Filter.view, filled().to_bytes()[:-1])
        for thing in (filled(), filled("growing16"), filled("scalable:split256"),
                      simdbloom.build_filter([1, 2])):
            damaged = aligned(thing)
            damaged[-9] ^= 1
            with self.subTest(thing.spec):
                self.fault("checksum", Filter.view, damaged)

    def test_say_what_is_no_file(self):
        for thing in (filled(), Map([1, 2], [3, 4]), join_of([1, 2]), bank_of(FilterBank, 3)[0],
                      bank_of(CompactBank, 3)[0], foreign("guava")):
            cls = type(thing)
            self.assertRaisesRegex(TypeError, "binary mode", cls.load, io.StringIO("text"))
            self.assertRaisesRegex(TypeError, "takes no bytes", thing.save, io.StringIO())
            for call, method in ((cls.load, "read"), (thing.save, "write")):
                self.refuses(*[(TypeError, rf"neither a path nor has {method}\(\)",
                                lambda none=none: call(none)) for none in (3, None, [1])])
                self.assertRaises(FileNotFoundError, call, "/nowhere/at/all")
                self.assertRaises(ValueError, call, "a\0b")
            self.assertRaises(IsADirectoryError, cls.load, "/")
            if hasattr(cls, "map"):
                self.assertRaises(FileNotFoundError, cls.map, "/nowhere/at/all")
            raw = Raw()
            raw.write = lambda more: 0
            self.assertRaisesRegex(OSError, "wrote 0 of", thing.save, raw)


class Memory(Case):
    def test_of_a_buffer_lives_as_long_as_the_filter(self):
        data = filled().to_bytes()
        memory = mmap.mmap(-1, len(data))
        memory[:] = data
        seen = Filter.view(memory)
        self.assertRaises(BufferError, memory.close)
        self.assertEqual(seen.count(np.arange(1000)), 1000)
        del seen
        memory.close()
        odd = mmap.mmap(-1, len(data) + 1)
        odd[1:] = data
        for buffer in (memoryview(odd)[1:], data, bytearray(data)):  # copied
            seen = Filter.view(buffer)
            self.assertTrue(seen.read_only)
            self.assertEqual(seen.to_bytes(), data)

    def test_of_a_file_that_is_removed_or_replaced_stays_mapped(self):
        f = of(range(1000))
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/f"
            f.save(path)
            mapped = Filter.map(path)
            of([10**9]).save(path)  # another file of that name
            self.assertEqual(mapped.count(range(1000)), 1000)
            os.remove(path)
            self.assertEqual(mapped.count(range(1000)), 1000)
            self.assertEqual(mapped.to_bytes(), f.to_bytes())
