"""The tables of a report, each as Markdown."""
from pathlib import Path

import skyline
from cells import bits, cell, fpr, interval, markdown_table, model, ns, time_and_ratio
from rows import (APART, at_12_bits, bandwidth_ns, banks, families, heading, is_standard_lookup,
                  is_usual_lookup, main_subjects, near, nominal_sizes, percent, size)

TARGETS = (0.03, 0.01, 0.001)


def two_digits(number):
    """Nothing where there is no number, nor a 0."""
    return f"{number:.2f}" if number else ""


def of(name):
    """The cell of a number of a row."""
    return lambda row: two_digits(row[name])


def pick(rows, **wanted):
    """The first row with these values; None if there is none."""
    return next((r for r in rows if all(r[k] == v for k, v in wanted.items())), None)


# The columns that tables of filters begin with.
FACTS = [("bits/key", bits), ("FPR", fpr), ("95 % interval", interval), ("exact model", model)]


def cells_of(row, columns):
    return [f"`{row['filter']}`", *(cell(row) for _, cell in columns)]


def heads(first, columns):
    return [first, *(name for name, _ in columns)]


def at_size(rows, level, bytes_):
    return [r for r in rows if r["memory_level"] == level and near(r, bytes_)]


def on_best_isa(about, rows, level, bytes_):
    return [r for r in at_size(rows, level, bytes_)
            if r["threads"] == 1 and r["isa"] in (about["best_isa"], "native")]


def beside_ours(about, rows, role, line):
    """What by_size takes: line(rows, case) of a few of ours and of the filters of that role."""
    def body(level, bytes_):
        here = on_best_isa(about, rows, level, bytes_)
        theirs = [r for r in here if r["role"] == role and is_usual_lookup(r, about)]
        compared = at_12_bits(rows, level, bytes_, about)
        ours = [compared[f] for f in main_subjects(about) if f in compared]
        return [line(here, case) for case in ours + theirs] if theirs else None
    return body


def by_size(about, rows, header, body_of):
    """A table for each memory level; its lines are body_of(level, bytes), and None is no table."""
    parts = []
    for level, bytes_ in nominal_sizes(rows).items():
        body = body_of(level, bytes_)
        if body is not None:
            parts.append(f"### {heading(about, rows, level, bytes_)}\n\n"
                         + markdown_table(header, body))
    return "\n\n".join(parts)


def recommendations(rows, about):
    """Per memory level and target FPR the fastest filter measured whose FPR reaches it (within
    2 %)."""
    best = {}
    for level, bytes_ in nominal_sizes(rows).items():
        for target in TARGETS:
            candidates = [r for r in at_size(rows, level, bytes_)
                          if is_standard_lookup(r, about) and r["fpr"] <= target * 1.02]
            best[level, target] = min(candidates, key=lambda r: r["ns_per_key"], default=None)
    return best


def section_machine(about):
    facts = [[name, value] for name, value in about["machine"].items()]
    run = (f"{about['depth']}, {about['seconds']:.0f} s; {about['repetitions']} rounds, in each "
           f"{about['seconds_per_repetition']} s of every row in random order; medians with 95 % "
           "bootstrap intervals")
    for turn in about.get("turns", []):
        said = f"touch moved by {100 * turn['moved']:.1f} % from round to round"
        if turn["repeated"]:
            said += f" after {turn['repeated']} rounds were measured again"
        if turn["disturbed"]:
            said += "; DISTURBED: other work on this machine spoils these times"
        facts.append([f"quiet in {turn['level']}", f"{turn['filters']} filters: {said}"])
    probes = (f"{about['fpr_probes']:,} absent keys a filter; 95 % Wilson intervals; "
              "every filter within 5 sigma of its exact model")
    facts += [["command", about["command"]], ["keys", about["keys"]], ["run", run],
              ["FPR probes", probes]]
    return markdown_table(["", ""], facts)


def section_recommendations(about, rows):
    best = recommendations(rows, about)
    body = []
    for level, bytes_ in nominal_sizes(rows).items():
        cells = [heading(about, rows, level, bytes_)]
        for target in TARGETS:
            r = best[level, target]
            cells.append(f"`{r['filter']}` at {r['bits_per_key']:.3g} bits/key: {ns(r)} ns, "
                         f"FPR {fpr(r)}" if r else "none was measured")
        body.append(cells)
    return (markdown_table(["filter size"] + [f"FPR <= {percent(t)}" for t in TARGETS], body)
            + "\n\nOf the filters that were measured at that size.")


def section_levels(about, rows):
    columns = [*FACTS, ("ns/key", ns),
               ("95 % interval", lambda row: f"{row['ns_low']:.2f} - {row['ns_high']:.2f}"),
               ("cycles/key", of("cycles_per_key")), ("ratio to touch", of("touch_ratio")),
               ("lines/key", of("lines_per_key"))]
    return by_size(about, rows, heads("filter", columns), lambda level, bytes_: [
        cells_of(row, columns) for row in at_12_bits(rows, level, bytes_, about).values()])


def section_skyline(about, rows):
    body = skyline.winners(about, rows)
    return ("A filter pays where a key that is not in spares more work than the lookup costs. With "
            "`t_w` ns spared by each \"not in\", a filter with lookups of `t_l` ns and "
            "false-positive rate `f` leaves `t_l + f * t_w` a key, and no filter leaves "
            "`t_w`. The filter that "
            "leaves least, near 12 bits a key (cuckoo filters to 12.7), for absent keys:\n\n"
            + markdown_table(["filter size", "least time of those measured, by the work spared",
                              "not measured there"], body))


def section_isas(about, rows):
    isas = [i for i in about["isas"] if any(r["isa"] == i for r in rows)]

    def line(here, family):
        usual = {"op": "lookup", "output": "bitmap", "hit_ratio": 0, "threads": 1, "batch": 16384}
        # The one case of the family that was timed on every ISA.
        scalar = pick(here, family=family, isa="scalar", **usual)
        if not scalar:
            return None
        times = [pick(here, filter=scalar["filter"], n_keys=scalar["n_keys"], isa=i, **usual)
                 for i in isas]
        return [f"`{scalar['filter']}`"] + [
            f"{ns(r)} ({scalar['ns_per_key'] / r['ns_per_key']:.1f}x)" if r else "" for r in times]

    def body(level, bytes_):
        here = at_size(rows, level, bytes_)
        return [cells for family in families(rows) if (cells := line(here, family))]

    return by_size(about, rows, ["filter"] + [f"{i}: ns/key (times faster)" for i in isas], body)


def by_filter(about, rows, filters, wanted, names, here_only, cell=ns, some=None):
    """A table for each memory level: a line for each filter, a column for each of the wanted
    (operation, output, hit ratio). A line must have one of the first `some` cells."""
    def line(here, filter_):
        found = [pick(here, filter=filter_, op=op, output=output, hit_ratio=hits)
                 for op, output, hits in wanted]
        return [cell(r) if r else "" for r in found]

    def body(level, bytes_):
        here = [r for r in on_best_isa(about, rows, level, bytes_) if here_only(r)]
        return [[f"`{filter_}`"] + cells for filter_ in filters
                if any((cells := line(here, filter_))[:some])] or None

    return by_size(about, rows, ["filter"] + names, body)


def section_operations(about, rows):
    wanted = [("lookup", "bitmap", 0), ("lookup", "bitmap", 0.5), ("lookup", "bitmap", 1),
              ("lookup", "count", 0), ("lookup", "select", 0), ("lookup", "select", 0.5),
              ("insert", "", None), ("erase", "", None)]
    names = [f"{op} {output} {'' if hits is None else f'hits {hits:g}'}".strip()
             for op, output, hits in wanted]
    inserted = dict.fromkeys(r["filter"] for r in rows
                             if r["op"] == "insert" and r["role"] != "hashes")
    return by_filter(about, rows, inserted, wanted, names,
                     lambda r: r["output"] != "bitmap" or r["batch"] == 16384)


def section_one_key(about, rows):
    """Calls with one key each."""
    def cell(row):
        cycles = f" ({row['cycles_per_key']:.0f})" if row["cycles_per_key"] else ""
        return ns(row) + (cycles if row["output"] == "single" else "")

    wanted = [("lookup", "single", 0), ("lookup", "single", 1), ("insert", "single", None),
              ("erase", "single", None), ("lookup", "bitmap", 0), ("insert", "", None)]
    names = ["lookup, absent", "lookup, present", "insert", "erase", "in batches: lookup, absent",
             "in batches: insert"]
    single = dict.fromkeys(r["filter"] for r in rows
                           if r["output"] == "single" and r["role"] not in APART)
    text = by_filter(about, rows, single, wanted, names,
                     lambda r: r["output"] != "bitmap" or r["batch"] == 16384, cell, 4)
    return ("One call a key: ns, and cycles in brackets. An insert into a filter of bits repeats "
            "keys that are in; an insert into a filter that erases goes from empty to full.\n\n"
            + text) if text else ""


def section_equal_n(about, rows):
    """The same keys in every filter, beside the same bytes for every filter."""
    parts = []
    for level, bytes_ in nominal_sizes(rows).items():
        usual = [r for r in rows if r["memory_level"] == level and is_usual_lookup(r, about)
                 and r["role"] not in APART]
        n = bytes_ * 8 / 12
        lines = []
        for family in dict.fromkeys(r["family"] for r in usual):
            mine = [r for r in usual if r["family"] == family]
            same_n = [r for r in mine if abs(r["n_keys"] / n - 1) < 0.002
                      and (r["role"] == "relative" or r["bits_per_key"] >= 11)]
            if not same_n:
                continue
            a = min(same_n, key=lambda r: abs(r["bits_per_key"] - 12))
            same_bytes = [r for r in mine if abs(r["filter_bytes"] / bytes_ - 1) < 0.03
                          and abs(r["bits_per_key"] - a["bits_per_key"]) < 0.3]
            b = same_bytes[0] if same_bytes else None
            lines.append([f"`{a['filter']}`", bits(a), size(a["filter_bytes"]), fpr(a), ns(a)]
                         + ([f"{b['n_keys']:,.0f}", fpr(b), ns(b)] if b else [""] * 3))
        if len(lines) > 1:
            title = f"{n:,.0f} keys, and {heading(about, rows, level, bytes_)}"
            parts.append(f"### {title}\n\n" + markdown_table(
                ["filter", "bits/key", "equal n: size", "FPR", "ns/key", "equal space: keys",
                 "FPR at it", "ns/key at it"], lines))
    return "\n\n".join(parts)


def section_ratios(about, rows):
    """The filters near 12 bits a key against touch, scalar code, one thread and large batches."""
    def line(base):
        usual = {"filter": base["filter"], "n_keys": base["n_keys"], "op": "lookup", "hit_ratio": 0,
                 "isa": about["best_isa"], "output": "bitmap", "batch": 16384, "threads": 1}

        def against(of="ns_per_key", **other):
            found = pick(rows, **usual | other)
            return found[of] / base[of] if found else None

        if against(isa="scalar") is None:
            return None
        two = [against(of, threads=2) for of in ("ns_per_key", "touch_ns")]
        ratios = ([against(isa="scalar"), against(isa="avx2")] + [1 / t if t else None for t in two]
                  + [against(batch=b) for b in (1, 8, 64, 1024, 1 << 20)])
        return [f"`{base['filter']}`", f"{base['touch_ratio']:.2f}", *map(two_digits, ratios)]

    body = [[heading(about, rows, level, bytes_)] + cells
            for level, bytes_ in nominal_sizes(rows).items()
            for base in at_12_bits(rows, level, bytes_, about).values() if (cells := line(base))]
    return markdown_table(["size", "filter", "time : touch", "scalar : best", "avx2 : best",
                           "two threads : one (rate)", "the same of touch"]
                          + [f"batches of {b} : 16,384"
                             for b in ("1", "8", "64", "1,024", "1 Mi")], body)


# To start and join a thread takes 20 to 100 us. A build must take ten times as long.
LEAST_BUILD_NS = 1e6


def section_builds(rows):
    builds, body = [r for r in rows if r["op"] == "build"], []
    for key in dict.fromkeys((r["filter"], r["n_keys"]) for r in builds):
        ways = {r["output"]: r for r in builds if (r["filter"], r["n_keys"]) == key}
        serial = ways.get("serial")
        if (serial and "parallel" in ways
                and serial["ns_per_key"] * min(key[1], 4e6) >= LEAST_BUILD_NS):
            body.append([f"{size(serial['filter_bytes'])} ({serial['memory_level']})",
                         f"`{key[0]}`", ns(serial)]
                        + [f"{serial['ns_per_key'] / ways['parallel']['ns_per_key']:.2f}"])
    if not body:
        return ""
    return ("Filled from empty with the filter's keys, 4 million at most: ns a key on one thread, "
            "and how many times as many keys a second two threads take in. "
            "The bits are the same. Builds below 1 ms are left out: there two threads take as long "
            "as it takes to start them.\n\n"
            + markdown_table(["size", "filter", "one thread, ns/key", "two threads"],
                             body))


def section_relatives(about, rows):
    """The other structures beside the main filters, size by size."""
    def line(here, case):
        same = [r for r in here if r["batch"] in (case["batch"], r["n_keys"])]

        def time(op, hits=None, output=""):
            found = pick(same, filter=case["filter"], n_keys=case["n_keys"], op=op,
                         hit_ratio=hits, output=output)
            return ns(found) if found else ""

        return [*cells_of(case, columns), time("lookup", 1, case["output"]), time("insert"),
                time("erase"), time("build", output="serial")]

    columns = [*FACTS, ("absent, ns/key", ns)]
    return by_size(about, rows,
                   [*heads("structure", columns), "present", "insert", "erase", "build"],
                   beside_ours(about, rows, "relative", line))


def in_batches_and_alone(here, case):
    """FPR and times of a filter that a table has beside others."""
    single = pick(here, filter=case["filter"], op="lookup", output="single", hit_ratio=0)
    return [*cells_of(case, FACTS), ns(single) if single else "", ns(case),
            two_digits(case["touch_ratio"])]


WITH_SINGLE = [*heads("filter", FACTS), "one key, ns", "batch, ns/key", "ratio to touch"]


def section_engines(about, rows):
    """What engines ship, beside some of ours."""
    text = by_size(about, rows, WITH_SINGLE,
                   beside_ours(about, rows, "engine", in_batches_and_alone))
    return ("The filters of databases and libraries, written anew from their published sources: "
            "plain loops, compiled for AVX2 where there is AVX2. Absent keys. "
            "bench/engines/README.md says what each is. The single calls of ours are compiled "
            "without AVX2 here.\n\n"
            + text) if text else ""


def section_hashes(about, rows):
    """Filters that are given hashes: peers that take hashes, and ours beside them."""
    here = [r for r in rows if r["role"] == "hashes" and r["threads"] == 1
            and r["isa"] in (about["best_isa"], "native")]
    cases = sorted((r for r in here if is_usual_lookup(r, about)), key=lambda r: r["n_keys"])
    body = [[f"{r['n_keys']:,.0f}", size(r["filter_bytes"])] + in_batches_and_alone(
        [other for other in here if other["filter_bytes"] == r["filter_bytes"]], r) for r in cases]
    return markdown_table(["keys", "size"] + WITH_SINGLE, body) if body else ""


def section_banks(about, rows):
    """One key in many sets, as a bank and one by one."""
    body = []
    for sets, sizes in banks(about, rows).items():
        for ways in sizes.values():
            first, contains = next(iter(ways.values())), ways.get("contains")

            def beside(way):
                row = ways.get(way)
                if not row or not contains:
                    return cell(ns, row)
                return f"{ns(row)} ({row['ns_per_key'] / contains['ns_per_key']:.1f}x)"

            body.append([f"{sets:,}", f"{size(first['filter_bytes'])} ({first['memory_level']})",
                         f"`{first['filter'].split(',', 1)[1]}`", fpr(first),
                         cell(time_and_ratio, contains), beside("count_per_set"),
                         beside("one by one"),
                         cell(lambda r: two_digits(bandwidth_ns(about, r)), contains)])
    return markdown_table(["sets", "size", "each set", "FPR", "contains (ratio to touch)",
                           "count_per_set (times contains)", "one by one (times contains)",
                           "bandwidth"], body) if body else ""


def section_printed(folder, name):
    """What an experiment printed for this report, if it did."""
    path = Path(folder, name)
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""


def section_misses(about, rows):
    body = [[f"`{r['filter']}`", r["isa"], size(r["filter_bytes"]), two_digits(r["lines_per_key"]),
             f"{r['l1_misses']:.2f}", f"{r['ll_misses']:.3f}", r["miss_source"]]
            for r in rows if r["l1_misses"] is not None]
    note = ("Source `hardware`: perf_event_open. Source `cachegrind`: simulated caches "
            f"{about['cachegrind']}; reading the keys themselves is 1/8 of a line a key. "
            "`lines/key` is an exact count of distinct 64-byte lines.\n\n")
    if not body:
        return note + "No source of cache misses on this machine."
    return note + markdown_table(["filter", "ISA", "size", "lines/key", "L1d misses/key",
                                  "last-level misses/key", "source"], body)


def section_equal_fpr(about, rows):
    def rate(r):
        """By the model. Where there is none, the plan looked for the bits with a tenth of noise."""
        return r["fpr"] / 1.1 if r["fpr_model"] is None else r["fpr_model"]

    compared = [r for r in rows if r["role"] == "contender" or r["fpr_model"] is None]
    # The plan sizes all filters for the same keys here; a cuckoo filter may be bound by its load
    # and end below the target.
    keys = [n for n in dict.fromkeys(r["n_keys"] for r in rows)
            if len({r["family"] for r in compared if r["n_keys"] == n}) > 5]
    body = []
    for target in (0.01, 0.001):
        for n in keys:
            for family in families(rows):
                fits = [r for r in compared if r["family"] == family and r["n_keys"] == n
                        and is_standard_lookup(r, about) and rate(r) <= target * 1.0001]
                if fits:
                    r = max(fits, key=rate)
                    body.append([percent(target), f"{n:,.0f}", f"`{r['filter']}`", bits(r), fpr(r),
                                 ns(r)])
    return markdown_table(["FPR wanted", "keys", "filter", "bits/key needed", "FPR measured",
                           "ns/key"], body)
