"""Makes report.md, report.html and the closing screen from results.csv and machine.json.

usage: render.py DIR
"""
import os
import sys

import plots
import sections as s
from cells import fpr, ns, time_and_ratio
from markers import write_whole
from page import figure, page, to_html
from rows import at_12_bits, families, load, nominal_sizes, percent, size
from skyline import skyline

INTRO = ("One thread, 64-bit keys, absent unless a hit ratio is named; ns per key. `touch` hashes "
         "the same keys and loads the same lines without testing anything: the ratio to it is the "
         "cost of being a filter.")


def screen(about, rows, folder):
    sizes = nominal_sizes(rows)
    machine = about["machine"]
    out = [f"simdbloom, {machine['cpu']}, {about['best_isa']}, {machine['date']}, "
           f"{len(rows)} measurements", "",
           "Fastest lookup by filter size and false-positive rate "
           "(filter, bits per key: ns per absent key, one thread):"]
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


def skylines(about, rows):
    return (figure(skyline(about, rows, 12.7, "Near 12 bits a key"),
                   "For so many keys, and so much work spared by each \"not in\": the filter that "
                   "leaves the least time a key. Grey: a filter that was not measured at that "
                   "size may leave less.")
            + figure(skyline(about, rows, None, "Any space that was measured"),
                     "Rest the pointer on a place for the filter, its time and its FPR. Between "
                     "two measured sizes times lie on a straight line."))


def pictures(*drawn, caption=""):
    return lambda about, rows: "".join(figure(f(about, rows), caption) for f in drawn)


def marked(about):
    """What stands on top if a level stayed disturbed."""
    levels = [t["level"] for t in about.get("turns", []) if t["disturbed"]]
    return (f"Times in {', '.join(dict.fromkeys(levels))} are marked: other work on this machine "
            "disturbed them, also when they were measured again.") if levels else ""


ASKED = "simdbloom.html"  # of src/adapters/wasm


def main(folder):
    about, rows = load(folder)
    sections = [
        ("The skyline of this machine", s.section_skyline(about, rows), skylines),
        ("Which filter to take", s.section_recommendations(about, rows), None),
        ("Time against size", "",
         pictures(plots.time_against_size, caption="Bars: 95 % intervals of the medians.")),
        ("Time against false-positive rate", "",
         pictures(plots.time_against_fpr, caption="Filters near 12 bits a key. The line is the "
                  "front: no filter below and left of it.")),
        ("False-positive rate against bits per key", "", pictures(plots.fpr_against_bits)),
        ("Filters near 12 bits per key", s.section_levels(about, rows), None),
        ("One key a call", s.section_one_key(about, rows), None),
        ("Equal n and equal space", s.section_equal_n(about, rows), None),
        ("Equal false-positive rate", s.section_equal_fpr(about, rows), None),
        ("Operations on batches", s.section_operations(about, rows), None),
        ("Instruction sets", s.section_isas(about, rows), None),
        ("Ratios of one run", s.section_ratios(about, rows), None),
        ("Builds on two threads", s.section_builds(rows), None),
        ("The rest of the family", s.section_relatives(about, rows), None),
        ("Filters that engines ship", s.section_engines(about, rows), None),
        ("Hash functions of strings", s.section_printed(folder, "hashing.md"), None),
        ("Joins", s.section_printed(folder, "joins.md"), None),
        ("Cache misses", s.section_misses(about, rows), None),
        ("Machine and run", s.section_machine(about), None)]
    markdown, shown = ["# simdbloom report", INTRO], []
    if about["complaints"]:
        markdown.append("**Wrong, no times printed:**\n\n"
                        + "\n".join("- " + c for c in about["complaints"]))
    if marked(about):
        markdown.append(f"**{marked(about)}**")
    for title, text, draw in sections:
        if "|---" in text and "\nPrinted on " not in text:
            text += f"\n\nMeasured on {about['provenance']}, with `{about['command']}`."
        if text:
            markdown += [f"## {title}", text]
        drawn = draw(about, rows) if draw else ""
        if text or drawn:
            shown.append((title, drawn + to_html(text)))
    write(folder, "report.md", "\n\n".join(markdown) + "\n")
    beside = ASKED if os.path.exists(os.path.join(folder, ASKED)) else ""
    write(folder, "report.html",
          page(about, shown, INTRO, about["complaints"], marked(about), beside))
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
