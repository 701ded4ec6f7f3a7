"""Claims, samples and records that the check of claims makes up, its list of failures, and what it
checks of the keys in pages."""
import dataclasses
import os

import keys
import records
from claim_files import parse_paper
from prober import Look

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
            "run": 0, "rule": ["ratio", "", "2"], "newer_rule": False,
            "around": QUIET if any("ns" in s for s in samples) else None,
            "ours": 2.0, "low": 1.9, "high": 2.1, "published": "2", "note": ""}


def made_up(claims, machine=None):
    machine = machine or {"cpu": "C", "cpu family": "1", "cpu model": "2", "cpu stepping": "3"}
    facts = {"cores": "2", "memory": "4 MiB", "commit": "abc1234", "date": "d",
             "best ISA": "scalar", "page bytes": "1", "huge pages": "h", "compiler": "G",
             "flags": "-O3"}
    run = {"machine": {**machine, **facts}, "command": "bench/replicate", "date": "d",
           "provenance": "{cpu} (family {cpu family}, model {cpu model}, stepping {cpu stepping})"
           .format_map(machine), "tolerances": "5a"}
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


def same_samples():
    """Texts and counts of two machines are equal, values of models to eleven digits."""
    rate, text = [{"hits": 3, "of": 9}], [{"text": "a"}]
    for ours, theirs, wanted in ((values(2, 3), values(2, 3), True), (rate, rate, True),
                                 (values(2), values(2 + 1e-12), True),
                                 (values(2), values(2 + 1e-9), False),
                                 (values(2), values(2, 2), False), (rate, values(3), False),
                                 (rate, [{"hits": 4, "of": 9}], False),
                                 (text, text * 3, True), (text, [], False), ([], [], True),
                                 (text, [*text, {"text": "b"}], False)):
        check(records.same(ours, theirs) == wanted, f"same: {ours}, {theirs}")


def keyed_pages(claims):
    """Each number of papers/companion stands behind its key and is that of the newest record."""
    same_samples()
    newest, found = records.adopted(claims)[0][1], list(keys.pages())
    check(len(found) == 3, f"papers/companion: {len(found)} pages")
    for path, text in found:
        name = os.path.basename(path)
        check(keys.filled(text, newest, claims) == text, f"--adopt would change {name}")
        check(not keys.without_key(text), f"{name}: no key before {keys.without_key(text)}")
        # One digit changed behind any key, and the page differs from the record.
        for shown in keys.KEYED.finditer(text):
            wrong = text[:shown.start()] + shown[0].replace(" -->", " -->9", 1) + text[shown.end():]
            check(keys.filled(wrong, newest, claims) == text, f"{name}: {shown[0]} may be anything")
    own = dataclasses.replace(claim(unit="%"), id="p/a")
    record = made_up([dict(entry("p/a", "-", samples=values(2)), low=2.0, high=2.0)])
    text = "<!--key:{}-->9<!--/-->"
    for key, shown in (("p/a", "2 %"), ("published p/a", "0.0216 %"), ("source p/a", "abstract: w"),
                       ("case p/a", "s"), ("count untimed", "1"), ("count samples", "1"),
                       ("count whole", "0")):
        given = keys.filled(text.format(key), record, [own])
        check(given == text.format(key).replace("9", shown), f"{key}: {given}")
    for key in ("p/b", "published p/b", "count guesses", "guess p/a"):
        try:
            check(False, f"{key} is {keys.of_key(key, record, [own])}")
        except ValueError as error:
            check(key in str(error), f"{error} does not name {key}")
    given = keys.without_key(f"512 bits, `0.1`, 0.25 or 3 %: {text.format('p/a')}, [a](b/1.5.md)")
    check(given == ["0.25", "3 %"], f"numbers without keys: {given}")
