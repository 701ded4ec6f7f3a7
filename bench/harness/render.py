"""Makes report.md, report.html and the closing screen from results.csv and machine.json.

usage: render.py DIR
"""
import html
import os
import sys

import plots
from cells import bits, fpr, interval, markdown_table, model, ns, time_and_ratio
from rows import (ISAS, at_12_bits, families, is_standard_lookup, is_usual_lookup, load, near,
                  nominal_sizes, percent, size, write_whole)

TARGETS = (0.03, 0.01, 0.001)


def two_digits(number):
    """Nothing where there is no number, nor a 0."""
    return f"{number:.2f}" if number else ""


def at_size(rows, level, bytes_):
    return [r for r in rows if r["memory_level"] == level and near(r, bytes_)]


def heading(level, bytes_):
    return f"{size(bytes_)} ({level})"


def by_size(rows, header, body_of):
    """A table for each memory level; its lines are body_of(level, bytes), and None is no table."""
    parts = []
    for level, bytes_ in nominal_sizes(rows).items():
        body = body_of(level, bytes_)
        if body is not None:
            parts.append(f"### {heading(level, bytes_)}\n\n" + markdown_table(header, body))
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


def screen(about, rows, folder):
    sizes = nominal_sizes(rows)
    machine = about["machine"]
    out = [f"simdbloom, {machine['cpu']}, {about['best_isa']}, {machine['date']}, "
           f"{len(rows)} measurements", "",
           "Fastest lookup by filter size and false-positive rate "
           "(filter, bits per key: ns per absent key, one thread):"]
    best = recommendations(rows, about)
    out.append(f"{'filter size':16}" + "".join(f"{'FPR <= ' + percent(t):32}" for t in TARGETS))
    for level, bytes_ in sizes.items():
        cells = []
        for target in TARGETS:
            r = best[level, target]
            cells.append(f"{r['filter']}, {r['bits_per_key']:.3g} bits: {ns(r)}" if r else "-")
        out.append(f"{heading(level, bytes_):16}" + "".join(f"{c:32}" for c in cells))
    out += ["", "All filters near 12 bits per key: ns per key and its ratio to touching "
            "the same lines:"]
    columns = {level: at_12_bits(rows, level, bytes_, about) for level, bytes_ in sizes.items()}
    out.append(f"{'filter':15}{'b/key':>6}{'FPR':>10}  "
               + "".join(f"{size(b):>16}" for b in sizes.values()))
    for family in families(rows):
        present = [columns[level].get(family) for level in sizes]
        first = next((r for r in present if r), None)
        if first:
            out.append(f"{family:15}{first['bits_per_key']:6.1f}{fpr(first):>10}  "
                       + "".join(f"{time_and_ratio(r, 'x') if r else '-':>16}" for r in present))
    if about["complaints"]:
        out += ["", "WRONG, no times printed:"] + ["  " + c for c in about["complaints"]]
    out += ["", f"from:  {about['provenance']}"]
    out += [f"plots: {os.path.join(folder, 'report.html')}",
            f"data:  {os.path.join(folder, 'results.csv')}"]
    return "\n".join(out)


def section_machine(about):
    facts = [[name, value] for name, value in about["machine"].items()]
    run = (f"{about['depth']}, {about['seconds']:.0f} s, {about['repetitions']} repetitions of at "
           f"least {about['seconds_per_repetition']} s in random order; "
           "medians with 95 % bootstrap intervals")
    probes = (f"{about['fpr_probes']:,} strangers a filter; 95 % Wilson intervals; "
              "every filter within 5 sigma of its exact model")
    facts += [["command", about["command"]], ["keys", about["keys"]], ["run", run],
              ["FPR probes", probes]]
    return markdown_table(["", ""], facts)


def section_recommendations(about, rows):
    best = recommendations(rows, about)
    body = []
    for level, bytes_ in nominal_sizes(rows).items():
        cells = [heading(level, bytes_)]
        for target in TARGETS:
            r = best[level, target]
            cells.append(f"`{r['filter']}` at {r['bits_per_key']:.3g} bits/key: {ns(r)} ns, "
                         f"FPR {fpr(r)}" if r else "")
        body.append(cells)
    return markdown_table(["filter size"] + [f"FPR <= {percent(t)}" for t in TARGETS], body)


def section_levels(about, rows):
    def body(level, bytes_):
        return [[f"`{row['filter']}`", bits(row), fpr(row), interval(row), model(row), ns(row),
                 f"{row['ns_low']:.2f} - {row['ns_high']:.2f}", two_digits(row["touch_ratio"]),
                 two_digits(row["lines_per_key"])]
                for row in at_12_bits(rows, level, bytes_, about).values()]

    return by_size(rows, ["filter", "bits/key", "FPR", "95 % interval", "exact model", "ns/key",
                          "95 % interval", "ratio to touch", "lines/key"], body)


def section_isas(about, rows):
    isas = [i for i in ISAS if any(r["isa"] == i for r in rows)]

    def line(here, family):
        into_bitmap = [r for r in here if r["op"] == "lookup" and r["output"] == "bitmap"]
        # The one case of the family that was timed on every ISA.
        case = next(((r["filter"], r["n_keys"]) for r in into_bitmap
                     if r["family"] == family and r["isa"] == "scalar"), None)
        times = {r["isa"]: r for r in into_bitmap
                 if (r["filter"], r["n_keys"]) == case and r["hit_ratio"] == 0
                 and r["threads"] == 1 and r["batch"] == 16384}
        if "scalar" not in times:
            return None
        scalar = times["scalar"]
        return [f"`{scalar['filter']}`"] + [
            f"{ns(times[i])} ({scalar['ns_per_key'] / times[i]['ns_per_key']:.1f}x)"
            if i in times else "" for i in isas]

    def body(level, bytes_):
        here = at_size(rows, level, bytes_)
        return [cells for family in families(rows) if (cells := line(here, family))]

    return by_size(rows, ["filter"] + [f"{i}: ns/key (faster than scalar)" for i in isas], body)


def section_operations(about, rows):
    wanted = [("lookup", "bitmap", 0), ("lookup", "bitmap", 0.5), ("lookup", "bitmap", 1),
              ("lookup", "count", 0), ("lookup", "select", 0), ("lookup", "select", 0.5),
              ("lookup", "single", 0), ("insert", "", None), ("erase", "", None)]

    def line(here, filter_):
        cells = []
        for way in wanted:
            found = [r for r in here if r["filter"] == filter_
                     and (r["op"], r["output"], r["hit_ratio"]) == way]
            cells.append(ns(found[0]) if found else "")
        return cells

    def body(level, bytes_):
        here = [r for r in at_size(rows, level, bytes_)
                if r["threads"] == 1 and r["isa"] in (about["best_isa"], "native")
                and (r["output"] != "bitmap" or r["batch"] == 16384)]
        inserted = dict.fromkeys(r["filter"] for r in rows if r["op"] == "insert")
        return [[f"`{filter_}`"] + cells for filter_ in inserted
                if any(cells := line(here, filter_))] or None

    return by_size(rows, ["filter"] + [f"{op} {output} {'' if hits is None else f'hits {hits:g}'}"
                                       for op, output, hits in wanted], body)


def section_ratios(about, rows):
    """split256 and the other main filters against touch, scalar code, one thread and large
    batches."""
    usual = {"isa": about["best_isa"], "output": "bitmap", "batch": 16384, "threads": 1}

    def line(base):
        same = [r for r in rows if r["filter"] == base["filter"] and r["n_keys"] == base["n_keys"]
                and r["op"] == "lookup" and r["hit_ratio"] == 0]

        def against(of="ns_per_key", **other):
            found = [r for r in same if all(r[k] == v for k, v in (usual | other).items())]
            return found[0][of] / base[of] if found else None

        if against(isa="scalar") is None:
            return None
        two = [against(of, threads=2) for of in ("ns_per_key", "touch_ns")]
        ratios = ([against(isa="scalar"), against(isa="avx2")] + [1 / t if t else None for t in two]
                  + [against(batch=b) for b in (1, 8, 64, 1024, 1 << 20)])
        return [f"`{base['filter']}`", f"{base['touch_ratio']:.2f}", *map(two_digits, ratios)]

    body = [[heading(level, bytes_)] + cells for level, bytes_ in nominal_sizes(rows).items()
            for base in at_12_bits(rows, level, bytes_, about).values() if (cells := line(base))]
    return markdown_table(["size", "filter", "time : touch", "scalar : best", "avx2 : best",
                           "two threads : one (rate)", "the same of touch"]
                          + [f"batches of {b} : 16,384"
                             for b in ("1", "8", "64", "1,024", "1 Mi")], body)


def section_builds(rows):
    builds, body = [r for r in rows if r["op"] == "build"], []
    for key in dict.fromkeys((r["filter"], r["n_keys"]) for r in builds):
        ways = {r["output"]: r for r in builds if (r["filter"], r["n_keys"]) == key}
        serial = ways.get("serial")
        if serial and len(ways) > 1:
            body.append([heading(serial["memory_level"], serial["filter_bytes"]), f"`{key[0]}`",
                         ns(serial)]
                        + [f"{serial['ns_per_key'] / ways[w]['ns_per_key']:.2f}" if w in ways
                           else "" for w in ("atomic", "partitioned", "merged")])
    if not body:
        return ""
    return ("Filled from empty with the filter's keys, 4 million at most: ns a key on one thread, "
            "and how many times as many keys a second two threads take in. "
            "The bits are the same.\n\n"
            + markdown_table(["size", "filter", "one thread, ns/key", "atomic", "partitioned",
                              "merged"], body))


def section_relatives(about, rows):
    """The other structures beside some of the filters compared, size by size."""
    def line(here, case):
        same = [r for r in here if r["filter"] == case["filter"] and r["n_keys"] == case["n_keys"]
                and r["batch"] in (case["batch"], r["n_keys"])]

        def time(op, hits=None, output=""):
            found = [r for r in same if r["op"] == op and r["hit_ratio"] == hits
                     and r["output"] == output]
            return ns(found[0]) if found else ""

        return [f"`{case['filter']}`", bits(case), fpr(case), interval(case), model(case), ns(case),
                time("lookup", 1, case["output"]), time("insert"), time("erase"),
                time("build", output="serial")]

    def body(level, bytes_):
        here = [r for r in at_size(rows, level, bytes_)
                if r["threads"] == 1 and r["isa"] in (about["best_isa"], "native")]
        relatives = [r for r in here if r["role"] == "relative" and is_usual_lookup(r, about)]
        if not relatives:
            return None
        compared = at_12_bits(rows, level, bytes_, about)
        shown = [compared[f] for f in ("split256", "blocked512", "classic", "cuckoo12")
                 if f in compared]
        return [line(here, case) for case in shown + relatives]

    return by_size(rows, ["structure", "bits/key", "FPR", "95 % interval", "exact model",
                          "absent, ns/key", "present", "insert", "erase", "build"], body)


def section_printed(folder, name):
    """What an experiment printed for this report, if it did."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as f:
        return f.read().strip()


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
    compared = [r for r in rows if r["role"] == "contender"]
    # The plan sizes all filters for the same keys here; a cuckoo filter may be bound by its load
    # and end below the target.
    keys = [n for n in dict.fromkeys(r["n_keys"] for r in rows)
            if len({r["family"] for r in compared if r["n_keys"] == n}) > 5]
    body = []
    for target in (0.01, 0.001):
        for n in keys:
            for family in families(rows):
                fits = [r for r in compared if r["family"] == family and r["n_keys"] == n
                        and is_standard_lookup(r, about) and r["fpr_model"] <= target * 1.0001]
                if fits:
                    r = max(fits, key=lambda r: r["fpr_model"])
                    body.append([percent(target), f"{n:,.0f}", f"`{r['filter']}`", bits(r), fpr(r),
                                 ns(r)])
    return markdown_table(["FPR wanted", "keys", "filter", "bits/key needed", "FPR measured",
                           "ns/key"], body)


def main(folder):
    about, rows = load(folder)
    sections = [
        ("Machine and run", section_machine(about), []),
        ("Which filter to take", section_recommendations(about, rows), []),
        ("Time against size", "", [plots.time_against_size]),
        ("False-positive rate against bits per key", "", [plots.fpr_against_bits]),
        ("Time against false-positive rate at equal space", "", [plots.time_against_fpr]),
        ("Filters near 12 bits per key", section_levels(about, rows), []),
        ("Equal false-positive rate", section_equal_fpr(about, rows), []),
        ("Ratios of one run", section_ratios(about, rows), []),
        ("Instruction sets", section_isas(about, rows), []),
        ("Operations", section_operations(about, rows), []),
        ("Builds on two threads", section_builds(rows), []),
        ("The rest of the family", section_relatives(about, rows), []),
        ("Hash functions of strings", section_printed(folder, "hashing.md"), []),
        ("Joins", section_printed(folder, "joins.md"), []),
        ("Cache misses", section_misses(about, rows), [])]
    intro = ("One thread, 64-bit keys, absent unless a hit ratio is named; ns per key. `touch` "
             "hashes the same keys and loads the same lines without testing anything: the ratio to "
             "it is the cost of being a filter.")
    markdown, page = ["# simdbloom report", intro], []
    for title, text, figures in sections:
        if "|---" in text and "\nPrinted on " not in text:
            text += f"\n\nMeasured on {about['provenance']}, with `{about['command']}`."
        if text:
            markdown += [f"## {title}", text]
        if text or figures:
            drawn = "".join(f(about, rows) for f in figures)
            page.append(f"<h2>{html.escape(title)}</h2>" + drawn + to_html(text))
    if about["complaints"]:
        wrong = "\n".join("- " + c for c in about["complaints"])
        markdown.insert(1, "**Wrong, no times printed:**\n\n" + wrong)
        escaped = "<br>".join(map(html.escape, about["complaints"]))
        page.insert(0, f"<p class=wrong>Wrong, no times printed:<br>{escaped}</p>")
    write(folder, "report.md", "\n\n".join(markdown) + "\n")
    filled = PAGE.replace("@INTRO@", html.escape(intro)).replace("@BODY@", "\n".join(page))
    write(folder, "report.html", filled)
    print(screen(about, rows, folder))


def to_html(text):
    out, in_table = [], False
    for line in text.split("\n"):
        if line.startswith("|---"):
            continue
        if line.startswith("|"):
            cells = [c.strip().strip("`") for c in line.strip("|").split("|")]
            tag = "td" if in_table else "th"
            line = "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells)
            out.append(("" if in_table else "<table>") + f"<tr>{line}</tr>")
            in_table = True
            continue
        if in_table:
            out.append("</table>")
            in_table = False
        if line.startswith("### "):
            out.append(f"<h3>{html.escape(line[4:])}</h3>")
        elif line:
            out.append(f"<p>{html.escape(line)}</p>")
    return "\n".join(out + (["</table>"] if in_table else []))


def write(folder, name, text):
    path = os.path.join(folder, name)
    try:
        write_whole(path, text)
    except OSError as e:
        sys.exit(f"bench/report: cannot write \"{path}\": {e.strerror}")


PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>simdbloom report</title>
<style>
body { font: 15px/1.45 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: .6em 0 1.4em; font-size: 13px; }
th, td { border-bottom: 1px solid #ddd; padding: .2em .7em; text-align: left; }
th { border-bottom: 2px solid #888; }
svg { max-width: 100%; height: auto; }
.wrong { color: #b00; font-weight: bold; }
</style>
<h1>simdbloom report</h1><p>@INTRO@</p>
@BODY@
</html>
"""

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
