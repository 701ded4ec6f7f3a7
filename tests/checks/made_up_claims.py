"""Claims, samples and records that the check of claims makes up, and its list of failures."""
import dataclasses

from claim_files import parse_paper
from disturbance import Look

HEAD = 'name = "n"\nsummary = "s"\nsource = "doi:1"\n'
CLAIM = """[[claim]]
id = "a"
statement = "s"
source = "abstract: w"
exact = "0.0216"
seconds = 1
expected = "reproduced"
probe.formula = {}
"""
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def claim(**fields):
    return dataclasses.replace(parse_paper("paper", HEAD + CLAIM)[1][0], **fields)


def values(*numbers):
    return [{"value": x} for x in numbers]


def times(ratio, again=1.0, rounds=25, spread=0.01, ghz=3.0, ghz_step=0.0, processes=5, **more):
    """Rounds whose ratios lie evenly around the one named, in several processes."""
    rows = []
    for i in range(rounds):
        off = 1 + spread * (i / (rounds - 1) - 0.5)
        rows.append({"ns": {"a": ratio * off, "b": 1.0}, "again": ratio * off * again,
                     "ghz": ghz + ghz_step * i, "process": i % processes, **more})
    return rows


QUIET = {"load": [1.0, 1.0], "others": 0.0, "steal": 0.0, "lines": [100, 99]}


def entry(identity, verdict, expected="reproduced", samples=()):
    return {"id": identity, "verdict": verdict, "expected": [expected], "samples": list(samples),
            "probe": "p", "setup": {}, "lacks": [], "attempts": 1, "seconds": 1, "kind": "ratio",
            "run": 0, "around": QUIET if any("ns" in s for s in samples) else None,
            "ours": 2.0, "low": 1.9, "high": 2.1, "published": "2", "note": ""}


def made_up(claims, machine=None):
    machine = machine or {"cpu": "C", "cpu family": "1", "cpu model": "2", "cpu stepping": "3"}
    run = {"machine": {**machine, "cores": "2", "memory": "4 MiB", "commit": "abc"},
           "provenance": "M", "command": "bench/replicate", "date": "d", "tolerances": ""}
    return {"runs": [run], "claims": claims}


class Noisy:
    """A prober whose first times are disturbed."""
    def __init__(self, disturbed):
        self.disturbed, self.asked = disturbed, 0

    def missing(self, claim_):
        return []

    def is_timed(self, claim_):
        return True

    def look(self):
        return Look(0, 0, 0, 0, 1.0, 2, 100.0)

    def samples(self, probe, setup):
        self.asked += 1
        return times(2, again=1.5 if self.asked <= 5 * self.disturbed else 1, processes=1)
