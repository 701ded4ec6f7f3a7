#!/usr/bin/python3
"""Fills the measured tables of README.md, papers/ and bench/pages/ from the results of bench/report.

usage: claims.py DIR [--words DIR] [--print]

  DIR          folder of a run on generated keys (results.csv, machine.json)
  --words DIR  folder of a run with --keys, for the table `words`; without it that table stays as it is
  --print      print the tables instead of writing them

A table stands between the lines `<!-- measured: NAME -->` and `<!-- end -->`; NAME is one of the functions
marked @table below. What a run does not hold is written as "not measured in this run". The picture of the
README, bench/results/fpr_against_bits.svg, is drawn from DIR too.
"""
import argparse
import glob
import json
import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench", "harness"))
from rows import fewest_bits, load, near, nominal_sizes, percent, size, subjects, write_whole  # noqa: E402
MISSING = "not measured in this run"
LEVELS = ("L1", "L2", "L3", "DRAM")
ISAS = ("sse42", "avx2", "avx512", "avx512bitalg", "neon")
PICTURE = os.path.join("bench", "results", "fpr_against_bits.svg")
TABLES = {}


def fail(text):
    sys.exit(f"bench/claims.py: {text}")


def table(name):
    def register(function):
        TABLES[name] = function
        return function
    return register


class Run:
    """The rows of one run, and the choices of rows that the tables share."""

    def __init__(self, folder, real_keys):
        self.machine_path, self.csv_path = os.path.join(folder, "machine.json"), os.path.join(folder, "results.csv")
        try:
            self.about, self.rows = load(folder)
            self.isa, self.keys, self.depth, self.provenance = (
                self.about[name] for name in ("best_isa", "keys", "depth", "provenance"))
            self.ours, self.peers = subjects(self.about, "contender"), subjects(self.about, "peer")
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
            fail(f"{self.machine_path}: a run on {self.keys}; " + ("--words wants one made with --keys" if real_keys else "give it as --words"))
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
        refused = len(self.about.get("complaints", []))
        return (f"Measured on {self.provenance}, with `{self.command()}`."
                + (f" {refused} measurements of this run were refused; no times are given for them." if refused else ""))

    def lookups(self, family, isa=None, output="bitmap", batch=16384, hits=0):
        """One thread; peers have one kind of lookup, one key a call."""
        if family in self.peers:
            isa, output, batch = "native", "single", 1
        return [r for r in self.rows if r["family"] == family and r["op"] == "lookup" and r["isa"] == (isa or self.isa) and r["output"] == output
                and r["batch"] == batch and r["hit_ratio"] == hits and r["threads"] == 1]

    def at(self, family, level, bits=None, within=0.3, **kind):
        """At the size all filters were measured at in that level: the row nearest to those bits per key (by default 12, or the
        densest a cuckoo filter has)."""
        bits = bits or max(12, fewest_bits(self.about, family))
        rows = [r for r in self.lookups(family, **kind) if level in self.sizes and r["memory_level"] == level and near(r, self.sizes[level])
                and abs(r["bits_per_key"] - bits) < within]
        return min(rows, key=lambda r: (abs(r["bits_per_key"] - bits), abs(r["filter_bytes"] - self.sizes[level])), default=None)

    def heading(self, level):
        return f"{size(self.sizes[level])} ({level})" if level in self.sizes else level


def markdown(header, body):
    return "\n".join(["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(line) + " |" for line in body])


def cell(text, *rows):
    """text(*rows), unless one of the rows is missing."""
    return MISSING if any(r is None for r in rows) else text(*rows)


def fpr(row):
    return cell(lambda r: percent(r["fpr"]), row)


def interval(row):
    return cell(lambda r: f"{percent(r['fpr_low'])} - {percent(r['fpr_high'])}", row)


def time_and_ratio(row):
    return cell(lambda r: f"{r['ns_per_key']:.2f}" + (f" ({r['touch_ratio']:.2f})" if r["touch_ratio"] else ""), row)


def times(slow, fast):
    """Ratio of times, with the widest range that both 95 % intervals allow."""
    return cell(lambda a, b: f"{a['ns_per_key'] / b['ns_per_key']:.2f} ({a['ns_low'] / b['ns_high']:.2f} - {a['ns_high'] / b['ns_low']:.2f})", slow, fast)


def ratio(slow, fast):
    return cell(lambda a, b: f"{a['ns_per_key'] / b['ns_per_key']:.2f}", slow, fast)


def k_of(row):
    return row["filter"].split("k=")[1] if "k=" in row["filter"] else "8"


def classic_bits(rate):
    """Bits per key at which the classic formula gives that rate, with the best integer k."""
    return min(-k / math.log1p(-rate ** (1 / k)) for k in range(1, 31))


def lookup_times(run, families, levels):
    """A row for each filter, a column for each level. The FPRs are those of the L3 size."""
    body = []
    for family in families:
        rows = {level: run.at(family, level) for level in LEVELS}
        name = next((f"`{r['filter']}`" for r in rows.values() if r), f"`{family}`")
        body.append([name, cell(lambda r: f"{r['bits_per_key']:.2f}", rows["L3"]), fpr(rows["L3"]),
                     cell(lambda r: percent(r["fpr_model"]), rows["L3"])]
                    + [time_and_ratio(rows[level]) for level in levels])
    return markdown(["filter", "bits/key", "FPR measured", "exact model"] + [run.heading(level) for level in levels], body)


@table("results")
def results(run):
    return lookup_times(run, run.ours + run.peers, LEVELS)


@table("summary")
def summary(run):
    """Of `results` what the README has room for."""
    return lookup_times(run, ("register64", "split256", "sector512", "blocked512", "classic", "cuckoo12", *run.peers), ("L2", "DRAM"))


@table("words")
def words(run):
    body = []
    for family in run.ours + run.peers:
        wanted = max(12, fewest_bits(run.about, family))
        row = min(run.lookups(family), key=lambda r: abs(r["bits_per_key"] - wanted), default=None)
        if row and abs(row["bits_per_key"] - wanted) > 0.3:
            row = None
        # The peers hash the line inside the timed call, so their time does not belong into the same column.
        time = "hashing included: " + cell(lambda r: f"{r['ns_per_key']:.2f}", row) if row and family in run.peers else time_and_ratio(row)
        body.append([f"`{row['filter']}`" if row else f"`{family}`", cell(lambda r: f"{r['bits_per_key']:.2f}", row),
                     cell(lambda r: f"{size(r['filter_bytes'])} ({r['memory_level']})", row), fpr(row), interval(row),
                     cell(lambda r: percent(r["fpr_model"]), row), time])
    return (f"Keys: {run.keys}; {run.rows[0]['n_keys']:,.0f} of them inserted, the others probed.\n\n"
            + markdown(["filter", "bits/key", "size", "FPR measured", "95 % interval", "exact model", "ns/key (ratio to `touch`)"], body))


@table("bloom-1970")
def bloom_1970(run):
    published = {(8, "6"): 0.0216, (10, "7"): 0.00819, (12, "8"): 0.00314}
    body = []
    for bits in (8, 10, 12, 16, 20):
        row = run.at("classic", "L2", bits)
        known = row and published.get((bits, k_of(row)))
        body.append([str(bits), cell(k_of, row), percent(known) if known else "-", cell(lambda r: percent(r["fpr_model"]), row), fpr(row), interval(row),
                     cell(lambda r: f"{r['fpr'] / r['fpr_model']:.3f}", row)])
    return (f"`classic`, {run.heading('L2')}:\n\n"
            + markdown(["bits/key", "k", "published (Fan et al. 2000)", "formula", "FPR measured", "95 % interval", "measured / formula"], body))


@table("putze-2007")
def putze_2007(run):
    body = []
    for bits, blocked_published, classic_published in ((8, 0.0231, 0.0215), (20, 1.94e-4, 6.7e-5)):
        blocked, classic = run.at("blocked512", "L2", bits), run.at("classic", "L2", bits)
        for name, row, published in (("blocked512", blocked, blocked_published), ("classic", classic, classic_published)):
            body.append([f"FPR of `{name}` at {bits} bits/key", percent(published),
                         cell(lambda r: f"{percent(r['fpr'])} ({interval(r)}), k = {k_of(r)}, exact model {percent(r['fpr_model'])}", row)])
        body.append([f"FPR ratio `blocked512` : `classic` at {bits} bits/key", f"{blocked_published / classic_published:.2f}",
                     cell(lambda a, b: f"{a['fpr'] / b['fpr']:.2f} measured, {a['fpr_model'] / b['fpr_model']:.2f} by the exact models", blocked, classic)])
    for hits, what in ((0, "absent"), (1, "present")):
        blocked, classic = run.at("blocked512", "L3", hits=hits), run.at("classic", "L3", hits=hits)
        body.append([f"lines per {what} key, `blocked512` against `classic`", "1 against up to k",
                     cell(lambda a, b: f"{a['lines_per_key']:.2f} against {b['lines_per_key']:.2f} (k = {k_of(b)})", blocked, classic)])
    for hits, what in ((0, "absent"), (1, "present")):
        for level in ("L3", "DRAM"):
            body.append([f"time ratio `classic` : `blocked512`, {what} keys, {run.heading(level)}", "about 4",
                         times(run.at("classic", level, hits=hits), run.at("blocked512", level, hits=hits))])
    return markdown(["quantity", "published", "here"], body)


@table("fan-2014")
def fan_2014(run):
    loads, space = [], []
    for bits in (8, 12, 16):
        family = f"cuckoo{bits}"
        found = [r for r in (run.at(family, level, bits / 0.95) for level in ("L3", "L2", "L1", "DRAM")) if r]
        row = found[0] if found else None
        loads.append([f"`{family}`", cell(lambda r: f"{bits / r['bits_per_key']:.3f}", row), cell(lambda r: f"{r['bits_per_key']:.2f}", row), fpr(row),
                      cell(lambda r: percent(r["fpr_model"]), row), percent(8 / 2 ** bits),
                      cell(lambda r: f"{classic_bits(r['fpr_model']):.2f}", row),
                      cell(lambda r: f"{r['bits_per_key'] / classic_bits(r['fpr_model']):.2f}", row)])
    for target in (0.01, 0.001):
        def smallest(names, n):
            rows = [r for name in names for r in run.lookups(name) if r["n_keys"] == n and r["fpr_model"] <= target * 1.0001]
            return min(rows, key=lambda r: r["bits_per_key"], default=None)
        sizes = sorted({r["n_keys"] for r in run.lookups("classic") if target * 0.97 < r["fpr_model"] <= target * 1.0001}) or [None]
        for n in sizes:
            cuckoo, classic, blocked = smallest(("cuckoo8", "cuckoo12", "cuckoo16"), n), smallest(("classic",), n), smallest(("blocked512",), n)
            space.append([percent(target), f"{n:,.0f}" if n else MISSING, cell(lambda r: f"`{r['filter']}`, {r['bits_per_key']:.2f}", cuckoo)]
                         + [cell(lambda r: f"{r['bits_per_key']:.2f}", r) for r in (classic, blocked)]
                         + [cell(lambda a, b: f"{a['bits_per_key'] / b['bits_per_key']:.2f}", cuckoo, classic)])
    return ("Filled to their design load:\n\n"
            + markdown(["filter", "load", "bits/key", "FPR measured", "exact model", "published bound 2b/2^f", "classic needs at the same FPR (formula), bits/key",
                        "cuckoo : classic"], loads)
            + "\n\nBits per key for a wanted FPR (the cuckoo filter of this library that needs least):\n\n"
            + markdown(["FPR wanted", "keys", "cuckoo", "`classic`", "`blocked512`", "cuckoo : classic"], space))


@table("lang-2019")
def lang_2019(run):
    names = [f for f in run.ours if f != "cuckoo16"]
    body = []
    for family in names:
        rows = {level: run.at(family, level) for level in LEVELS}
        first = next((r for r in rows.values() if r), None)
        cells = [ratio(rows[level], run.at("register64", level)) for level in LEVELS]
        gains = [ratio(run.at(family, level, isa="scalar"), rows[level]) for level in LEVELS]
        body.append([f"`{first['filter'] if first else family}`", cell(lambda r: f"{r['bits_per_key']:.2f}", first), cell(lambda r: percent(r["fpr_model"]), first)]
                    + [c if c == g else f"{c} ({g})" for c, g in zip(cells, gains)])
    l1 = {family: run.at(family, "L1") for family in names}
    known = [r for r in l1.values() if r]
    register, sectorised, cuckoo = l1["register64"], l1["zoned512:z=2"], l1["cuckoo12"]
    speedups = [run.at(f, "L1", isa="scalar")["ns_per_key"] / l1[f]["ns_per_key"] for f in names if l1[f] and run.at(f, "L1", isa="scalar")]
    fastest = min(known, key=lambda r: r["ns_per_key"]) if known else None
    ks = [k_of(r) for bits in (8, 10, 12, 16, 20) for r in [run.at("zoned512:z=2", "L2", bits)] if r]
    claims = [
        ["fastest lookup in L1", "register-blocked", cell(lambda r: f"`{r['filter']}`", fastest)],
        ["time in L1, cache-sectorised : register-blocked", "3-4 : 1-2 cycles, so 1.5 to 4", times(sectorised, register)],
        ["time in L1, cuckoo : register-blocked", "4-6 : 1-2 cycles, so 2 to 6", times(cuckoo, register)],
        ["FPR, cuckoo : register-blocked", "below 1", cell(lambda a, b: f"{a['fpr'] / b['fpr']:.2f} at {a['bits_per_key']:.2f} and {b['bits_per_key']:.2f} bits/key", cuckoo, register)],
        [f"time in L1, scalar : {run.isa}", "8 to 10 (Skylake-X), below 2 (first Ryzen)", f"{min(speedups):.1f} to {max(speedups):.1f}" if speedups else MISSING],
        ["k of the two-group layout", "6 to 8", ", ".join(ks) + " at 8, 10, 12, 16, 20 bits/key (least FPR)" if len(ks) == 5 else MISSING]]
    return (markdown(["quantity", "published", "here"], claims)
            + f"\n\nLookup time over that of `register64`, absent keys, near 12 bits per key; in brackets scalar time over `{run.isa}` time:\n\n"
            + markdown(["filter", "bits/key", "FPR (exact model)"] + [run.heading(level) for level in LEVELS], body))


@table("lang-2019-rho")
def lang_2019_rho(run):
    costs = (10, 100, 1e3, 1e4, 1e5)

    def rho(row, cost):
        return row["ns_per_key"] + row["fpr_model"] * cost

    def winners(chosen):
        body = []
        for level in LEVELS:
            rows = [r for family in run.ours for r in run.lookups(family) if r["memory_level"] == level and near(r, run.sizes[level]) and chosen(r)]
            cells = []
            for cost in costs:
                best = min(rows, key=lambda r: rho(r, cost), default=None)
                cells.append(cell(lambda r: f"`{r['filter']}`, {r['bits_per_key']:.3g} bits: {rho(r, cost):.3g}", best))
            body.append([run.heading(level), str(len(rows))] + cells)
        return markdown(["filter size", "filters compared"] + [f"t_w = {cost:g} ns" for cost in costs], body)

    def near_12(row):
        return abs(row["bits_per_key"] - 12) < 0.7

    crossings = []
    for level in LEVELS:
        rows = [r for family in run.ours for r in run.lookups(family) if r["memory_level"] == level and near(r, run.sizes[level]) and near_12(r)]
        bloom, cuckoo = [r for r in rows if not r["family"].startswith("cuckoo")], [r for r in rows if r["family"].startswith("cuckoo")]
        unit = run.at("register64", level)
        text = MISSING
        if bloom and cuckoo and unit:
            def ahead(cost):
                return min(rho(r, cost) for r in cuckoo) < min(rho(r, cost) for r in bloom)
            meets = [(c["ns_per_key"] - b["ns_per_key"]) / (b["fpr_model"] - c["fpr_model"]) for c in cuckoo for b in bloom
                     if b["fpr_model"] != c["fpr_model"]]
            first = next((cost for cost in sorted([0.0] + [m for m in meets if m > 0]) if ahead(cost * 1.000001)), None)
            text = ("at none" if first is None else "at any" if first == 0 else
                    f"from {first:.3g} ns, {first / unit['ns_per_key']:.3g} times a `register64` lookup")
        crossings.append([run.heading(level), text])
    return ("Least rho in ns, filters near 12 bits per key (11.3 to 12.7):\n\n" + winners(near_12)
            + "\n\nLeast rho in ns, all bits per key measured at that size:\n\n" + winners(lambda r: True)
            + "\n\nWork saved t_w at which a cuckoo filter near 12 bits per key has a lower rho than every Bloom filter there:\n\n"
            + markdown(["filter size", "t_w"], crossings))


@table("apple-2021")
def apple_2021(run):
    # Keys, million lookups a second and FPR of the split block and the cuckoo filter; bits per key as their FPRs imply.
    published = ((1e5, 400, 281, 0.0103, 0.0237, 10.49), (1e6, 186, 139, 0.0274, 0.0297, 8.39), (1e8, 43, 23, 0.0091, 0.0233, 10.74))
    pairs = [(s, c) for s in run.lookups("split256") for c in run.lookups("cuckoo8") if s["n_keys"] == c["n_keys"] > 50_000
             and abs(s["bits_per_key"] - c["bits_per_key"]) < 0.1]
    rates, times_ = [], []
    for n, split_rate, cuckoo_rate, split_fpr, cuckoo_fpr, bits in published:
        split, cuckoo = min(pairs, key=lambda p: abs(p[0]["bits_per_key"] - bits), default=(None, None))
        rates.append([f"{bits}", f"{percent(split_fpr)} : {percent(cuckoo_fpr)}, {split_fpr / cuckoo_fpr:.2f}", cell(lambda r: f"{r['bits_per_key']:.2f}", split),
                      cell(lambda a, b: f"{percent(a['fpr'])} : {percent(b['fpr'])}, {a['fpr'] / b['fpr']:.2f}", split, cuckoo)])
        alike = [p for p in pairs if bits / 1.3 < p[0]["bits_per_key"] < bits * 1.3 and n / 8 < p[0]["n_keys"] < n * 8]
        split, cuckoo = min(alike, key=lambda p: abs(math.log(p[0]["n_keys"] / n)), default=(None, None))
        times_.append([f"{n:,.0f}", f"{split_rate} : {cuckoo_rate}, {split_rate / cuckoo_rate:.2f}",
                       cell(lambda r: f"{r['n_keys']:,.0f} at {r['bits_per_key']:.2f} bits/key ({r['memory_level']})", split), times(cuckoo, split)])
    return ("FPR, split block : 8-bit cuckoo:\n\n" + markdown(["published at bits/key", "published FPRs, ratio", "nearest here, bits/key", "FPRs here, ratio"], rates)
            + "\n\nLookup rate, split block : 8-bit cuckoo, at equal space:\n\n"
            + markdown(["published at keys", "published rates (M/s), ratio", "nearest here, keys", "ratio here"], times_))


@table("kirsch-mitzenmacher-2006")
def kirsch_mitzenmacher_2006(run):
    body = []
    for bits in (8, 12):
        rows = sorted((r for r in run.lookups("classic") if abs(r["bits_per_key"] - bits) < 0.05), key=lambda r: r["n_keys"])
        for r in rows or [None]:
            body.append(["`classic`", str(bits), cell(k_of, r), cell(lambda r: f"{r['n_keys']:,.0f}", r), cell(lambda r: f"{100 * r['fpr']:.3f} %", r), interval(r),
                         cell(lambda r: f"{100 * r['fpr_model']:.3f} %", r), cell(lambda r: f"{r['fpr'] / r['fpr_model']:.3f}", r)])
    for level in ("L1", "L2", "L3"):
        peer, ideal = run.at("leveldb", level), run.at("classic", level)
        body.append(["`leveldb`", "12", cell(k_of, ideal), cell(lambda r: f"{r['n_keys']:,.0f}", peer), cell(lambda r: f"{100 * r['fpr']:.3f} %", peer), interval(peer),
                     cell(lambda r: f"{100 * r['fpr_model']:.3f} %", ideal), cell(lambda a, b: f"{a['fpr'] / b['fpr_model']:.3f}", peer, ideal)])
    return markdown(["filter", "bits/key", "k", "keys", "FPR measured", "95 % interval", "ideal hashing", "measured / ideal"], body)


@table("polychroniou-ross-2014")
def polychroniou_ross_2014(run):
    isas = [isa for isa in ISAS if any(r["isa"] == isa for r in run.rows)]
    body = []
    for hits in (0, 0.5, 1):
        for level in LEVELS:
            scalar = run.at("classic", level, isa="scalar", hits=hits)
            if hits and not scalar:
                continue
            body.append([run.heading(level), f"{hits:g}"] + [ratio(scalar, run.at("classic", level, isa=isa, hits=hits)) for isa in isas]
                        + [times(run.at("classic", level, output="single", batch=1, hits=hits), run.at("classic", level, hits=hits))])
    return markdown(["filter size", "share of keys present"] + [f"scalar : {isa}" for isa in isas] + [f"one key a call : {run.isa}"], body)


@table("schmidt-2021")
def schmidt_2021(run):
    body = []
    for level in ("L3", "DRAM"):
        scalar, best = run.at("blocked512", level, isa="scalar"), run.at("blocked512", level)
        body += [[f"{run.isa} : scalar, {run.heading(level)}", "2.2 (41 : 19)", times(scalar, best)],
                 [f"partitioned : scalar, {run.heading(level)}", "4.6 (87 : 19)", "not offered, see below"],
                 [f"partitioned and {run.isa} : scalar, {run.heading(level)}", "7.0 (133 : 19)", "not offered, see below"]]
    return markdown(["lookup rate of `blocked512`, 12 bits/key", "published, 100 million keys (M lookups/s)", "here"], body)


@table("graf-lemire-2022")
def graf_lemire_2022(run):
    body = []
    for level in ("L2", "L3"):
        for name in ("fuse", "fuse:d=4", "split256", "blocked512", "classic", "cuckoo12"):
            # A slot has whole bits: a fuse filter may have one a slot less than the 12 a key that were asked for.
            row = run.at(name, level, 11.7 if name.startswith("fuse") else None, within=1.0, output="count")
            body.append([run.heading(level), f"`{row['filter'] if row else name}`", cell(lambda r: f"{r['bits_per_key']:.2f}", row), fpr(row),
                         cell(lambda r: f"{r['ns_per_key']:.2f}", row)])
    return markdown(["size", "filter", "bits/key", "FPR", "absent keys, ns a key"], body)


def fill(path, text, run, words_run, show):
    """The text with every table replaced."""
    out, name, opened = [], None, 0
    for number, line in enumerate(text.split("\n"), 1):
        start = line.strip().startswith("<!-- measured:")
        if start and name is not None:
            fail(f"{path}:{number}: a marker inside the marker of line {opened}, which has no <!-- end -->")
        if start:
            name, opened = line.strip()[len("<!-- measured:"):].removesuffix("-->").strip(), number
            if name not in TABLES:
                fail(f"{path}:{number}: unknown marker \"{name}\" (known: {', '.join(TABLES)})")
            out.append(line)
            chosen = words_run if name == "words" else run
            if chosen:
                made = TABLES[name](chosen) + "\n\n" + chosen.source()
                if show:
                    print(f"{path}: {name}\n\n{made}\n")
                out += ["", made, ""]
        elif line.strip() == "<!-- end -->":
            if name is None:
                fail(f"{path}:{number}: <!-- end --> without <!-- measured: NAME -->")
            out.append(line)
            name = None
        elif name is None or not (words_run if name == "words" else run):
            out.append(line)
    if name is not None:
        fail(f"{path}:{opened}: <!-- measured: {name} --> has no <!-- end -->")
    return "\n".join(out)


def write(path, text):
    try:
        write_whole(path, text)
    except OSError as e:
        fail(f"cannot write \"{path}\": {e.strerror}")


def main():
    parser = argparse.ArgumentParser(prog="bench/claims.py", description="Fills the measured tables of README.md, papers/ and bench/pages/.")
    parser.add_argument("folder", metavar="DIR", help="a run of bench/report on generated keys")
    parser.add_argument("--words", metavar="DIR", help="a run of bench/report with --keys")
    parser.add_argument("--print", action="store_true", dest="show", help="print the tables, write nothing")
    options = parser.parse_args()
    run = Run(options.folder, real_keys=False)
    words_run = Run(options.words, real_keys=True) if options.words else None
    pages = [path for folder in ("papers", os.path.join("bench", "pages"))
             for path in sorted(glob.glob(os.path.join(ROOT, folder, "*.md")))]
    if not pages:
        fail(f"no pages in \"{os.path.join(ROOT, 'papers')}\"")
    # All tables are made before the first file is written.
    filled = []
    for path in [os.path.join(ROOT, "README.md")] + pages:
        try:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        except OSError as e:
            fail(f"cannot read \"{path}\": {e.strerror}")
        filled.append((path, text, fill(os.path.relpath(path, ROOT), text, run, words_run, options.show)))
    if not options.show:
        for path, before, after in filled:
            if before != after:
                write(path, after)
        import plots
        write(os.path.join(ROOT, PICTURE), plots.fpr_against_bits(run.about, run.rows))


if __name__ == "__main__":
    main()
