"""The plots of report.html, each returned as SVG."""
import rows as select
from answer import fastest
from cells import ns
from svg import AXIS, DASHES, GREY, INK, MARKERS, NARROW, WIDE, Axis, Chart, Picture, text_width


def styles(about):
    """Colour, marker and dashes of each subject: the same in every plot."""
    compared = [s for s in about["subjects"] if s["role"] in select.COMPARED]
    return {s["name"]: (s["colour"] or "#999999", MARKERS[i % len(MARKERS)],
                        DASHES[i % len(DASHES)])
            for i, s in enumerate(compared)}


def number(value):
    return f"{value:g}" if value < 1e4 else f"{value:.0e}"


def hover(row):
    return (f"{row['filter']}, {select.size(row['filter_bytes'])}, {row['bits_per_key']:.2f} bits "
            f"a key: {ns(row)} ns ({row['ns_low']:.2f} to {row['ns_high']:.2f}), "
            f"FPR {select.percent(row['fpr'])}")


def around(values, below, above, start, end):
    """A logarithmic axis for the values, with room below and above."""
    values = list(values)
    return Axis(min(values) / below, max(values) * above, start, end)


def engines(about, rows, width=NARROW):
    """For each memory level the fastest filter beside what engines ship: bars, one under the
    other, that are hatched where nothing was measured."""
    names = select.subjects(about, "engine")
    if not names:
        return []
    pictures = []
    for level in select.LEVELS:
        measured = {r["family"]: r for r in select.near_12_bits(about, rows, level, "engine")}
        best = next(iter(fastest(about, rows, level, *select.COMPARED)), None)
        lines = [(best["family"] if best else "any filter", best)]
        if best or measured:
            lines += sorted([(name, measured.get(name)) for name in names],
                            key=lambda line: line[1]["ns_per_key"] if line[1] else 1e99)
        picture = Picture(width, 44 + 21 * len(lines), f"What engines ship beside ours, {level}")
        size = select.nominal_sizes(rows).get(level)
        picture.text(2, 14, select.heading(about, rows, level, size) if size else level, size=13,
                     bold=True, halo=False)
        start = max(82, 8 + max(text_width(name, 15) for name, _ in lines))
        end, columns = width - 152, (width - 112, width - 68, width - 2)
        for at, text in zip(columns, ("ns a key", "times", "FPR")):
            picture.label(at, 34, text, size=11, anchor="end")
        most = max((r["ns_high"] for _, r in lines if r), default=1)
        for i, (name, row) in enumerate(lines):
            y = 42 + 21 * i
            picture.text(start - 6, y + 12, name, INK, 12, "end", bold=not i, halo=False)
            if not row:
                picture.hatch(start, y, width - 2 - start, 16)
                picture.text((start + width) / 2, y + 12, "not measured", INK, 11, "middle")
                continue
            colour = AXIS if i else styles(about)[name][0]
            picture.add("rect", hover(row), x=float(start), y=float(y), height=16, fill=colour,
                        width=max(1.5, (end - start) * row["ns_per_key"] / most))
            ratio = f"{row['ns_per_key'] / best['ns_per_key']:.1f}" if best else ""
            for at, text in zip(columns, (ns(row), ratio, select.percent(row["fpr"]))):
                picture.label(at, y + 12, text, INK, 12, "end", bold=not i)
        pictures.append(picture.done())
    return pictures


def mark_levels(chart, about, name_y):
    """A line where a level of the memory is full."""
    for level, bytes_ in about["levels"].items():
        if chart.x.low < bytes_ < chart.x.high:
            at = chart.x.at(bytes_)
            chart.line(at, chart.y.start, at, chart.y.end, AXIS, 1, "4 4")
            chart.text(at, name_y, level, GREY, 11, "middle")


def draw_times(chart, line, colour, marker, name, dash):
    """Rows of several sizes: a curve, with the interval of each."""
    at = [(r["filter_bytes"], r["ns_per_key"]) for r in line]
    if at:
        chart.curve(at, colour, name, dash=dash)
    for point, r in zip(at, line):
        chart.point(marker, point, colour, hover(r), interval=(r["ns_low"], r["ns_high"]))


def time_against_size(about, rows, width=WIDE):
    height = 390
    lines = {}
    for family in select.families(rows):
        points, wanted = {}, select.fewest_bits(about, family) or 12
        for r in rows:
            if (r["family"] == family and select.is_standard_lookup(r, about)
                    and abs(r["bits_per_key"] - wanted) < 0.6):
                points.setdefault(round(r["filter_bytes"] / 1024), r)
        if len(points) > 1:
            lines[family] = [points[b] for b in sorted(points)]
    shown = [r for line in lines.values() for r in line]
    if not shown:
        return ""
    x = around((r["filter_bytes"] for r in shown), 1.3, 1.3, 52, width - 104)
    y = around((r[of] for r in shown for of in ("ns_low", "ns_high")), 1.15, 1.15, height - 44, 28)
    chart = Chart(width, height, "Time of a lookup against the size of the filter", x, y)
    step = 2 if width > NARROW else 4
    sizes = [1024 << i for i in range(0, 25, step) if x.low <= 1024 << i <= x.high]
    chart.frame([(b, select.size(b)) for b in sizes], [(t, number(t)) for t in y.steps(9)],
                "size of the filter", f"ns per absent key ({about['best_isa']})")
    mark_levels(chart, about, 18)
    for family, line in lines.items():
        colour, marker, dash = styles(about)[family]
        draw_times(chart, line, colour, marker, family, dash)
    return chart.done()


def fpr_against_bits(about, rows, width=WIDE):
    height = 390
    subjects = [s for s in about["subjects"] if s["filters"] and s["role"] in select.COMPARED]
    # Filters of many keys: small ones follow the finite model, not the line.
    points = {s["name"]: list({(r["bits_per_key"], r["fpr"]): r for r in rows
                               if r["family"] == s["name"] and r["n_keys"] > 50_000
                               and r["fpr"] > 0 and r["bits_per_key"] <= 24}.values())
              for s in subjects}
    rates = [rate for s in subjects for _, rate in s.get("model", [])]
    rates += [r["fpr"] for some in points.values() for r in some]
    if not rates:
        return ""
    x, y = Axis(6, 24.4, 66, width - 104, log=False), around(rates, 1.3, 1.2, height - 44, 14)
    chart = Chart(width, height, "False-positive rate against bits per key", x, y)
    chart.frame([(b, str(b)) for b in range(6, 25, 2 if width > NARROW else 6)],
                [(f, select.percent(f)) for f in y.decades()], "bits per key",
                "false-positive rate")
    for s in subjects:
        colour, marker, dash = styles(about)[s["name"]]
        measured = sorted(points[s["name"]], key=lambda r: r["bits_per_key"])
        if s.get("model"):
            chart.curve(s["model"], colour, s["name"], 1.2, dash)
        elif measured:
            at = chart.at((measured[-1]["bits_per_key"], measured[-1]["fpr"]))
            chart.ends.append((*at, s["name"], colour))
        for r in measured:
            chart.point(marker, (r["bits_per_key"], r["fpr"]), colour,
                        f"{r['filter']}, {r['bits_per_key']:.2f} bits a key: measured "
                        f"{select.percent(r['fpr'])}, model {select.percent(r['fpr_model'])}", 3.6,
                        (r["fpr_low"] or r["fpr"], r["fpr_high"]))
    return chart.done()


def front(points):
    """Of rows those that no other beats in both FPR and time, from the least FPR on."""
    best, out = float("inf"), []
    for r in sorted(points, key=lambda r: (r["fpr"], r["ns_per_key"])):
        if r["ns_per_key"] < best:
            best = r["ns_per_key"]
            out.append(r)
    return out


def time_against_fpr(about, rows, width=NARROW, height=276):
    """One picture a memory level; the line is the front."""
    pictures, known = [], {r["family"] for level in select.LEVELS
                           for r in select.near_12_bits(about, rows, level, *select.COMPARED)}
    for level, bytes_ in select.nominal_sizes(rows).items():
        shown = [r for r in select.near_12_bits(about, rows, level, *select.COMPARED)
                 if r["fpr"] > 0]
        if not shown:
            continue
        x = around((r["fpr"] for r in shown), 1.5, 2.2, 56, width - 10)
        y = around((r["ns_per_key"] for r in shown), 1.35, 1.35, height - 46, 42)
        chart = Chart(width, height, f"Time against false-positive rate, {level}", x, y)
        chart.text(x.start, 18, select.heading(about, rows, level, bytes_), size=13, bold=True)
        chart.frame([(f, select.percent(f)) for f in x.decades((1, 2, 5))],
                    [(t, number(t)) for t in y.steps(7)], "false-positive rate",
                    "ns per absent key")
        best = front(shown)
        stairs = [(b["fpr"], r["ns_per_key"]) for a, b in zip(best, best[1:]) for r in (a, b)]
        if stairs:
            chart.curve([(best[0]["fpr"], best[0]["ns_per_key"]), *stairs], AXIS, width=1.4)
        names = []
        for r in shown:
            colour, marker, _ = styles(about)[r["family"]]
            on_front = any(r is b for b in best)
            chart.point(marker, (r["fpr"], r["ns_per_key"]), colour,
                        hover(r) + (", on the front" if on_front else ""), 5.2 if on_front else 3.8)
            names.append((*chart.at((r["fpr"], r["ns_per_key"])), r["family"], colour))
        chart.names_beside(names, 11, 52, width - 4, y.end - 8, y.start)
        missing = len(known) - len(shown)
        if missing:
            chart.hatch(width - 120, 25, 16, 12)
            chart.label(width - 10, 35, f"{missing} not measured", INK, 11, "end")
        pictures.append(chart.done())
    return pictures


def banks(about, rows, width=NARROW, height=276):
    """One picture for each number of sets, hatched if they were not measured."""
    pictures, found = [], select.banks(about, rows)
    colours = {s["name"].split(":")[0]: s["colour"] for s in about["subjects"]}
    for sets, sizes in found.items():
        title = f"One key in {sets:,} sets"
        shown = [r for ways in sizes.values() for r in ways.values()]
        if not shown:
            picture = Picture(width, height, title)
            picture.hatch(56, 42, width - 168, height - 88)
            picture.text(56, 18, f"{sets:,} sets: not measured", size=13, bold=True)
            pictures.append(picture.done())
            continue
        lines = {way: [ways[way] for ways in sizes.values() if way in ways]
                 for way in select.BANK_WAYS}
        ceiling = [(r["filter_bytes"], ns) for r in lines["contains"]
                   if (ns := select.bandwidth_ns(about, r))]
        x = around((r["filter_bytes"] for r in shown), 1.3, 1.3, 56, width - 112)
        y = around([r[of] for r in shown for of in ("ns_low", "ns_high")]
                   + [ns for _, ns in ceiling], 1.3, 1.3, height - 46, 42)
        chart = Chart(width, height, title, x, y)
        chart.text(x.start, 18, f"{sets:,} sets", size=13, bold=True)
        step = 2 if x.high < 64 * x.low else 4
        ticks = [1 << i for i in range(20, 40, step) if x.low <= 1 << i <= x.high]
        chart.frame([(b, select.size(b)) for b in ticks], [(t, number(t)) for t in y.steps(7)],
                    "size of all sets", "ns per absent key")
        mark_levels(chart, about, y.end - 4)
        if ceiling:
            chart.curve(ceiling, INK, "bandwidth", 1.2, "2 3")
        for i, (way, line) in enumerate(lines.items()):
            draw_times(chart, line, colours[select.BANK_WAYS[way][0]], MARKERS[i], way, DASHES[i])
        pictures.append(chart.done())
    return pictures
