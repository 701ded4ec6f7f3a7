"""SchemeBloom: its bits are those that its functions say."""

import hashlib

import numpy as np

from simdbloom import SchemeBloom
from support import Case, optional

pandas = optional("pandas")
MASK = 2**64 - 1


def sha(key, seed=0):
    data = key if isinstance(key, bytes) else key.to_bytes(8, "little")
    return int.from_bytes(hashlib.sha256(bytes([seed]) + data).digest(), "little")


def array_of(positions, m):
    bits = np.zeros((m + 7) // 8 * 8, np.uint8)
    bits[list(positions)] = 1
    return np.packbits(bits, bitorder="little").tobytes()


class Bits(Case):
    def test_are_those_of_the_hash_under_seeds(self):
        words, numbers = ["wörd %d" % i for i in range(200)], [0, 1, -1, 2**63, 12345]
        keys = [w.encode() for w in words] + [(n & MASK).to_bytes(8, "little") for n in numbers]
        for m in (1, 1009, 8192):
            f = SchemeBloom(m, "seeds", 5, seed=3, hash=sha)
            f.insert(np.array(words))
            f.insert(np.array(numbers[:3]))
            f.insert([2**63])
            f.add(12345)
            self.assertEqual(f.to_bytes(), array_of(
                {(sha(key, 3 + i) & MASK) % m for key in keys for i in range(5)}, m))
            self.assertEqual((f.bits, f.size_in_bytes), (m, (m + 7) // 8))
            f.clear()
            self.assertFalse(any(f.to_bytes()))

    def test_have_every_name(self):
        arrays = set()
        for scheme in ("seeds", "double", "enhanced", "triple"):
            for name in ("xxh64", "fnv1a", "bkdr", "djb2", "sdbm"):
                f = SchemeBloom(8192, scheme, 5, hash=name)
                f.insert(range(100))
                self.assertEqual((f.count(range(100)), f.k, f.scheme), (100, 5, scheme))
                arrays.add(f.to_bytes())
                g = SchemeBloom(8192, scheme, 5, hash=name)
                g.insert([i.to_bytes(8, "little") for i in range(100)])
                self.assertEqual(g.to_bytes(), f.to_bytes())
        self.assertEqual(len(arrays), 20)

    def test_are_those_of_functions(self):
        functions = [lambda key, i=i: sha(key, i) for i in range(4)]
        f = SchemeBloom(4096, functions)
        keys = [b"a", b"bc", b""]
        f.insert(keys)
        self.assertEqual(f.to_bytes(), array_of(
            {(g(key) & MASK) % 4096 for key in keys for g in functions}, 4096))
        self.assertEqual((f.k, f.scheme), (4, "functions"))
        same = SchemeBloom(4096, "seeds", 4, hash=sha)
        same.insert(keys)
        self.assertEqual(same.to_bytes(), f.to_bytes())

    def test_find_absent_keys_at_the_rate_of_the_model(self):
        f = SchemeBloom(10**5, "enhanced", 7)
        f.insert(np.arange(10**4))
        self.assertAlmostEqual(f.contains(np.arange(10**5, 10**6)).mean(), f.expected_fpr(10**4),
                               delta=0.001)
        self.assertAlmostEqual(f.estimated_fpr(), f.expected_fpr(10**4), delta=0.001)
        flags = f.contains(np.arange(9000, 11000))
        self.same(f.select(np.arange(9000, 11000)), np.flatnonzero(flags))

    def test_of_columns(self):
        f = SchemeBloom(1000, "double", 3)
        f.insert(["a", None, "b"])
        self.assertEqual(f.contains(["a", None, "b"]).tolist(), [True, False, True])
        if pandas:
            self.assertEqual(f.count(pandas.Series(["a", "b", "a"]).astype("category")), 3)


class Calls(Case):
    def test_that_are_wrong_are_named_in_a_line(self):
        f = SchemeBloom(100, "seeds", 3)

        def broken(key, seed):
            raise LookupError("of the hash")

        self.refuses(
            (ValueError, "0 bits", lambda: SchemeBloom(0, "seeds", 3)),
            (TypeError, "scheme='seeds' needs k", lambda: SchemeBloom(10, "seeds")),
            (ValueError, 'scheme="none" is not', lambda: SchemeBloom(10, "none", 3)),
            (ValueError, "k=0", lambda: SchemeBloom(10, "seeds", 0)),
            (ValueError, "k=65", lambda: SchemeBloom(10, "double", 65)),
            (ValueError, "k=0", lambda: SchemeBloom(10, [])),
            (ValueError, "k=2 of 1 functions", lambda: SchemeBloom(10, [sha], 2)),
            (TypeError, "3 is not a function", lambda: SchemeBloom(10, [3])),
            (ValueError, "hash='md5' is neither", lambda: SchemeBloom(10, "seeds", 3, hash="md5")),
            (ValueError, "hash=3 is neither", lambda: SchemeBloom(10, "seeds", 3, hash=3)),
            (TypeError, "gave 'x', not an integer",
             lambda: SchemeBloom(10, [lambda key: "x"]).add(1)),
            (TypeError, "keys of a SchemeBloom are integers, text or bytes, not floats",
             lambda: f.insert([0.5])),
            (TypeError, "a SchemeBloom takes no hashes",
             lambda: f.insert(np.arange(3, dtype=np.uint64), hashed=True)))
        g = SchemeBloom(100, "seeds", 3, hash=broken)
        for call in (lambda: g.insert([1]), lambda: g.count(["a"]), lambda: 1 in g):
            self.assertRaisesRegex(LookupError, "of the hash", call)
        self.assertRaisesRegex(TypeError, "scheme=3 is neither", SchemeBloom, 10, 3)
