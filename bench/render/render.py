"""Makes report.md, report.html and the closing screen from results.csv and machine.json.

usage: render.py DIR
"""
import os
import sys
import textwrap

import plots
import sections as s
from answer import answer, one_key
from cells import fpr, ns, time_and_ratio
from markers import write_whole
from page import figure, folded, page, to_html
from rows import at_12_bits, families, load, nominal_sizes, percent, size
from skyline import skyline
from svg import NARROW

INTRO = ("One thread, 64-bit keys, absent unless a hit ratio is named; ns per key. `touch` hashes "
         "the same keys and loads the same lines without testing anything: the ratio to it is the "
         "cost of being a filter.")


def screen(about, rows, folder):
    sizes = nominal_sizes(rows)
    machine = about["machine"]
    out = [f"simdbloom, {machine['cpu']}, {about['best_isa']}, {machine['date']}, "
           f"{len(rows)} measurements", ""]
    for text in answer(about, rows):
        out += textwrap.wrap(text.replace("**", "").replace("`", ""), 100)
    out += ["", "Fastest lookup by filter size and false-positive rate "
           "(filter, bits per key: ns per absent key, one thread; -: none was measured):"]
    best = s.recommendations(rows, about)
    out.append(f"{'filter size':16}" + "".join(f"{'FPR <= ' + percent(t):32}" for t in s.TARGETS))
    for level, bytes_ in sizes.items():
        cells = []
        for target in s.TARGETS:
            r = best[level, target]
            cells.append(f"{r['filter']}, {r['bits_per_key']:.3g} bits: {ns(r)}" if r else "-")
        out.append(f"{f'{size(bytes_)} ({level})':16}" + "".join(f"{c:32}" for c in cells))
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


def both(draw, about, rows, *more, caption="", **phone):
    """A picture in its two forms."""
    return figure(draw(about, rows, *more), draw(about, rows, *more, width=NARROW, **phone),
                  caption)


def marked(about):
    """What stands on top if a level stayed disturbed."""
    levels = [t["level"] for t in about.get("turns", []) if t["disturbed"]]
    return (f"Times in {', '.join(dict.fromkeys(levels))} are marked: other work on this machine "
            "disturbed them, also when they were measured again.") if levels else ""


def sections_of(about, rows, folder):
    """[(title, pictures, Markdown, how the page shows the Markdown)]: open, folded beneath the
    pictures, or as one of the tables at the end. "paper": that table is also printed on paper."""
    size_caption = ("Bars: 95 % intervals of the medians. A line ends where the filter was not "
                    "measured any further.")
    return [
        ("The skyline",
         both(skyline, about, rows, 12.7, "Least time near 12 bits a key", hover=False,
              caption="For so many keys, and so much work spared by each \"not in\": the filter "
              "that leaves the least time. Hatched: not measured; a filter that was not measured "
              "at that size may leave less."), s.section_skyline(about, rows), "fold"),
        ("Filters that engines ship",
         figure(plots.engines(about, rows), caption="ns per absent key in batches, and how many "
                "times as long as the fastest of ours with at most 1 % false positives. All have "
                "the same bytes a key. The engines' designs are plain loops, not their code. "
                + one_key(about, rows)), s.section_engines(about, rows), "fold"),
        ("Which filter to take", "", s.section_recommendations(about, rows), "open"),
        ("One key, many filters",
         figure(plots.banks(about, rows), caption="ns per absent key for all sets together, in "
                "batches of 4,096. One by one: the same filters without a bank. Bandwidth: the "
                "cache lines of a key in the bank, read as fast as memory in sequence; lookups in "
                "caches can take less."), s.section_banks(about, rows), "fold"),
        ("More pictures",
         both(plots.time_against_size, about, rows, caption=size_caption)
         + figure(plots.time_against_fpr(about, rows), caption="Filters near 12 bits a key. The "
                  "line is the front: no filter is below and left of it.")
         + both(plots.fpr_against_bits, about, rows,
                caption="Marks: measured. Lines: the exact models.")
         + both(skyline, about, rows, None, "Least time at any space", hover=False,
                caption="The skyline where each filter may have any space that was measured."),
         "", "open"),
        ("Filters near 12 bits per key", "", s.section_levels(about, rows), "paper"),
        ("One key a call", "", s.section_one_key(about, rows), "table"),
        ("Filters that are given hashes", "", s.section_hashes(about, rows), "table"),
        ("Joins", "", s.section_printed(folder, "joins.md"), "table"),
        ("Equal false-positive rate", "", s.section_equal_fpr(about, rows), "table"),
        ("Equal n and equal space", "", s.section_equal_n(about, rows), "table"),
        ("Operations on batches", "", s.section_operations(about, rows), "table"),
        ("Builds on two threads", "", s.section_builds(rows), "table"),
        ("Instruction sets", "", s.section_isas(about, rows), "table"),
        ("The rest of the family", "", s.section_relatives(about, rows), "table"),
        ("Hash functions of strings", "", s.section_printed(folder, "hashing.md"), "table"),
        ("Ratios of one run", "", s.section_ratios(about, rows), "table"),
        ("Cache misses", "", s.section_misses(about, rows), "table"),
        ("Machine and run", "", s.section_machine(about), "paper")]


ASKED = "simdbloom.html"  # of src/adapters/wasm


def main(folder):
    about, rows = load(folder)
    said = answer(about, rows)
    markdown, shown, tables = ["# simdbloom report", *said, INTRO], [], ""
    if about["complaints"]:
        markdown.append("**Wrong, no times printed:**\n\n"
                        + "\n".join("- " + c for c in about["complaints"]))
    if marked(about):
        markdown.append(f"**{marked(about)}**")
    for title, drawn, text, how in sections_of(about, rows, folder):
        inner = to_html(text)
        if text:
            source = f"Measured on {about['provenance']}, with `{about['command']}`."
            printed = "|---" not in text or "\nPrinted on " in text
            markdown += [f"## {title}", text] + ([] if printed else [source])
        if how in ("table", "paper"):
            tables += folded(title, inner, how == "paper") if text else ""
        elif drawn or text:
            shown.append((title, drawn + (folded("The same as a table", inner)
                                          if drawn and how == "fold" else inner)))
    shown.append(("Tables", to_html(INTRO) + tables))
    write(folder, "report.md", "\n\n".join(markdown) + "\n")
    beside = ASKED if os.path.exists(os.path.join(folder, ASKED)) else ""
    write(folder, "report.html",
          page(about, said, shown, about["complaints"], marked(about), beside))
    print(screen(about, rows, folder))


def write(folder, name, text):
    path = os.path.join(folder, name)
    try:
        write_whole(path, text)
    except OSError as e:
        sys.exit(f"bench/report: cannot write \"{path}\": {e.strerror}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
