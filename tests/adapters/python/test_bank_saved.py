"""FilterBank and CompactBank: files, bytes, views, pickles and copies."""

import copy
import io
import os
import pickle
import tempfile
import unittest

import numpy as np

from simdbloom import CompactBank, Filter, FilterBank, LoadError
from test_bank import filled


class Saved(unittest.TestCase):
    cls = FilterBank

    def test_banks_answer_as_before(self):
        bank, keys = filled(self.cls)
        new_set = () if self.cls is FilterBank else (9,)
        data, flags = bank.to_bytes(), bank.contains(keys[1])
        file = io.BytesIO()
        bank.save(file)
        self.assertEqual(file.getvalue(), data)
        aligned = np.empty(len(data) + 64, np.uint8)
        aligned = aligned[-aligned.ctypes.data % 64:][:len(data)]
        aligned[:] = np.frombuffer(data, np.uint8)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "b")
            bank.save(path)
            mapped = self.cls.map(path)
            banks = [self.cls.load(path), self.cls.load(io.BytesIO(data)),
                     self.cls.from_bytes(data), pickle.loads(pickle.dumps(bank)),
                     copy.deepcopy(bank), mapped.copy()]
            views = [mapped, self.cls.view(data), self.cls.view(aligned)]
        for other in banks + views:
            self.assertEqual(other.to_bytes(), data)
            np.testing.assert_array_equal(other.contains(keys[1]), flags)
            self.assertEqual((len(other), repr(other), str(other.n_keys), other.seed),
                             (len(bank), repr(bank), str(bank.n_keys), bank.seed))
        for other in banks:
            self.assertFalse(other.read_only)
            other.insert(other.add_set(*new_set), [10**12])
            self.assertIn(len(bank), other.select(10**12))
        for other in views:
            self.assertTrue(other.read_only)
            for call in (lambda: other.insert(0, [1]), lambda: other.add_set(*new_set),
                         lambda: other.clear_set(0), other.clear,
                         lambda: other.resize(3) if not new_set else other.clear()):
                self.assertRaisesRegex(ValueError, "read-only; copy", call)
            self.assertEqual(other.to_bytes(), data)

    def test_banks_that_are_keyed_need_their_secret(self):
        bank, keys = filled(self.cls, 3, hashing="keyed", secret=b"0123456789abcdef")
        data = bank.to_bytes()
        self.assertEqual(bank.secret, b"0123456789abcdef")
        again = self.cls.from_bytes(data, secret=bank.secret)
        np.testing.assert_array_equal(again.contains(keys[2]), bank.contains(keys[2]))
        self.assertRaisesRegex(TypeError, "keyed", pickle.dumps, bank)
        for options in ({}, {"secret": b"x" * 16}):
            with self.assertRaises(LoadError) as raised:
                self.cls.from_bytes(data, **options)
            self.assertEqual(raised.exception.fault, "secret")

    def test_bytes_that_are_damaged_are_no_banks(self):
        data = filled(self.cls, 3)[0].to_bytes()
        for wrong, fault in ((b"", "too_short"), (data[:-1], "size"), (b"x" + data[1:], "foreign"),
                             (data[:100] + bytes([data[100] ^ 1]) + data[101:], "checksum"),
                             (Filter("split256", 10, 12).to_bytes(), "foreign")):
            with self.assertRaises(LoadError) as raised:
                self.cls.from_bytes(wrong)
            self.assertEqual(raised.exception.fault, fault)
        self.assertRaises(LoadError, self.cls.from_bytes, data, max_bytes=64)
        self.assertRaises(FileNotFoundError, self.cls.map, "/nowhere/at/all")
        self.assertRaises(TypeError, self.cls.load, 3)


class SavedOfUnequalSets(Saved):
    cls = CompactBank
