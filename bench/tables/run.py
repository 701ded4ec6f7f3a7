"""One run of bench/report, as bench/claims.py reads it."""
import json
import os
import sys

from rows import fewest_bits, load, near, nominal_sizes, size, subjects

LEVELS = ("L1", "L2", "L3", "DRAM")


def fail(text):
    sys.exit(f"bench/claims.py: {text}")


class Run:
    """The rows of one run, and the choices of rows that the tables share."""

    def __init__(self, folder, real_keys):
        self.machine_path = os.path.join(folder, "machine.json")
        self.csv_path = os.path.join(folder, "results.csv")
        try:
            self.about, self.rows = load(folder)
            self.isa, self.keys, self.depth, self.provenance = (
                self.about[name] for name in ("best_isa", "keys", "depth", "provenance"))
            self.ours = subjects(self.about, "contender")
            self.peers = subjects(self.about, "peer")
        except OSError as e:
            fail(f"cannot read \"{e.filename}\": {e.strerror}")
        except json.JSONDecodeError as e:
            fail(f"{self.machine_path}: {e}")
        except KeyError as e:
            fail(f"{self.machine_path} or {self.csv_path}: {e} is missing")
        except (ValueError, TypeError, AttributeError) as e:
            fail(f"{self.machine_path} or {self.csv_path}: {e}")
        if not self.rows:
            fail(f"{self.csv_path}: no rows")
        if self.keys.startswith("generated") == real_keys:
            remedy = "--words wants one made with --keys" if real_keys else "give it as --words"
            fail(f"{self.machine_path}: a run on {self.keys}; {remedy}")
        self.sizes = nominal_sizes(self.rows)
        for row in self.rows:  # a run without split256 has its sizes too
            if row["op"] == "lookup" and row["memory_level"] not in self.sizes:
                self.sizes[row["memory_level"]] = row["filter_bytes"]

    def command(self):
        words = ["bench/report"] + ([f"--{self.depth}"] if self.depth != "standard" else [])
        if not self.keys.startswith("generated"):
            words += ["--keys", self.keys.split(" (")[0]]
        if self.rows[0]["seed"] != "1":
            words += ["--seed", self.rows[0]["seed"]]
        return " ".join(words)

    def source(self):
        text = f"Measured on {self.provenance}, with `{self.command()}`."
        refused = len(self.about.get("complaints", []))
        if refused:
            text += (f" {refused} measurements of this run were refused; "
                     "no times are given for them.")
        return text

    def lookups(self, family, isa=None, output="bitmap", batch=16384, hits=0):
        """One thread; peers have one kind of lookup, one key a call."""
        if family in self.peers:
            isa, output, batch = "native", "single", 1
        wanted = {"family": family, "op": "lookup", "isa": isa or self.isa, "output": output,
                  "batch": batch, "hit_ratio": hits, "threads": 1}
        return [r for r in self.rows if all(r[name] == value for name, value in wanted.items())]

    def at(self, family, level, bits=None, within=0.3, **kind):
        """At the size all filters were measured at in that level: the row nearest to those bits per
        key (by default 12, or the densest a cuckoo filter has)."""
        bits = bits or max(12, fewest_bits(self.about, family))

        def distance(row):
            return (abs(row["bits_per_key"] - bits), abs(row["filter_bytes"] - self.sizes[level]))

        rows = [r for r in self.lookups(family, **kind)
                if self.has_size_of(r, level) and abs(r["bits_per_key"] - bits) < within]
        return min(rows, key=distance, default=None)

    def has_size_of(self, row, level):
        """The size that all filters were measured at in that level."""
        return row["memory_level"] == level and near(row, self.sizes[level])

    def heading(self, level):
        return f"{size(self.sizes[level])} ({level})" if level in self.sizes else level
