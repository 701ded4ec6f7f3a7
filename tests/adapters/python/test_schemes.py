"""SchemeBloom: its bits are those of a model in Python."""

import hashlib

import numpy as np

from simdbloom import SchemeBloom
from support import Case, optional

pandas = optional("pandas")
MASK = 2**64 - 1


def fnv1a(key, seed=0):
    h = 0xCBF29CE484222325 ^ seed
    for byte in key:
        h = (h ^ byte) * 0x100000001B3 & MASK
    return h


def polynomial(factor, begin):
    def of(key, seed=0):
        h = begin ^ seed
        for byte in key:
            h = h * factor + byte & MASK
        return h
    return of


HASHES = {"fnv1a": fnv1a, "bkdr": polynomial(131, 0), "djb2": polynomial(33, 5381),
          "sdbm": polynomial(65599, 0)}
# The probes of a key modulo m, from hash values under seeds one apart.
SCHEMES = {
    "seeds": lambda h, k, m: [h(i) % m for i in range(k)],
    "double": lambda h, k, m: [(h(0) + i * h(1)) % m for i in range(k)],
    "enhanced": lambda h, k, m: [(h(0) + i * h(1) + (i**3 - i) // 6) % m for i in range(k)],
    "triple": lambda h, k, m: [(h(0) + i * h(1) + i * (i - 1) // 2 * h(2)) % m for i in range(k)],
}


def sha(key, seed=0):
    data = key if isinstance(key, bytes) else key.to_bytes(8, "little")
    return int.from_bytes(hashlib.sha256(bytes([seed]) + data).digest(), "little")


def array_of(positions, m):
    bits = np.zeros((m + 7) // 8 * 8, np.uint8)
    bits[list(positions)] = 1
    return np.packbits(bits, bitorder="little").tobytes()


class Bits(Case):
    def test_are_those_of_the_model(self):
        words = ["wörd %d" % i for i in range(200)]
        numbers = [0, 1, -1, 2**63, 12345]
        keys = [w.encode() for w in words] + [(n & MASK).to_bytes(8, "little") for n in numbers]
        for m in (1, 1009, 8192):
            for scheme, probes in SCHEMES.items():
                for name, function in {**HASHES, "own": lambda key, seed: sha(key, seed)}.items():
                    with self.subTest(f"{scheme} {name} {m}"):
                        f = SchemeBloom(m, scheme, 5, seed=3,
                                        hash=function if name == "own" else name)
                        f.insert(np.array(words))
                        f.insert(np.array(numbers[:3]))
                        f.insert([2**63])
                        f.add(12345)
                        self.assertEqual(f.to_bytes(), array_of(
                            {p for key in keys for p in probes(
                                lambda i: function(key, 3 + i) & MASK, 5, m)}, m))
                        self.assertEqual(f.count(words), 200)
                        self.assertTrue(all(n in f for n in numbers))
                        self.assertEqual((f.bits, f.k, f.scheme, f.size_in_bytes),
                                         (m, 5, scheme, (m + 7) // 8))
                        f.clear()
                        self.assertFalse(any(f.to_bytes()))

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
            (ValueError, "bits=-1 is below 0", lambda: SchemeBloom(-1, "seeds", 3)),
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
