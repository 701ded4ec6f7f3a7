"""The plots of report.html, each returned as SVG."""
import rows as select
from cells import ns
from svg import DASHES, GREY, MARKERS, Axis, Chart


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


def time_against_size(about, rows, width=980, height=520):
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
    x = around((r["filter_bytes"] for r in shown), 1.3, 1.3, 62, width - 130)
    y = around((r[of] for r in shown for of in ("ns_low", "ns_high")), 1.15, 1.15, height - 50, 28)
    chart = Chart(width, height, "Time of a lookup against the size of the filter", x, y)
    sizes = [1024 << i for i in range(0, 25, 2) if x.low <= 1024 << i <= x.high]
    chart.frame([(b, select.size(b)) for b in sizes], [(t, number(t)) for t in y.steps(9)],
                "size of the filter", f"ns per absent key ({about['best_isa']})")
    for level, bytes_ in about["levels"].items():
        if x.low < bytes_ < x.high:
            chart.line(x.at(bytes_), y.start, x.at(bytes_), y.end, "#889", 1, "4 4")
            chart.text(x.at(bytes_), 18, f"{level}: {select.size(bytes_)}", GREY, 11, "middle")
    for family, line in lines.items():
        colour, marker, dash = styles(about)[family]
        chart.curve([(r["filter_bytes"], r["ns_per_key"]) for r in line], colour, family, dash=dash)
        for r in line:
            chart.point(marker, (r["filter_bytes"], r["ns_per_key"]), colour, hover(r),
                        interval=(r["ns_low"], r["ns_high"]))
    return chart.done()


def fpr_against_bits(about, rows, width=980, height=540):
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
    x, y = Axis(6, 24.4, 66, width - 130, log=False), around(rates, 1.3, 1.2, height - 50, 14)
    chart = Chart(width, height, "False-positive rate against bits per key", x, y)
    chart.frame([(b, str(b)) for b in range(6, 25, 2)],
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
    chart.text(x.start + 12, y.start - 12, "marks: measured; lines: the exact models", GREY)
    return chart.done()


def front(points):
    """Of rows those that no other beats in both FPR and time, from the least FPR on."""
    best, out = float("inf"), []
    for r in sorted(points, key=lambda r: (r["fpr"], r["ns_per_key"])):
        if r["ns_per_key"] < best:
            best = r["ns_per_key"]
            out.append(r)
    return out


def time_against_fpr(about, rows, width=480, height=350):
    """One picture a memory level; the line is the front."""
    pictures = []
    for level, bytes_ in select.nominal_sizes(rows).items():
        shown = [r for r in select.at_12_bits(rows, level, bytes_, about).values()
                 if abs(r["bits_per_key"] - 12) <= 0.7 and r["fpr"] > 0]
        if not shown:
            continue
        x = around((r["fpr"] for r in shown), 1.5, 2.2, 56, width - 10)
        y = around((r["ns_per_key"] for r in shown), 1.35, 1.35, height - 46, 34)
        chart = Chart(width, height, f"Time against false-positive rate, {level}", x, y)
        chart.text(x.start, 18, select.heading(about, rows, level, bytes_), size=13, bold=True)
        chart.frame([(f, select.percent(f)) for f in x.decades((1, 2, 5))],
                    [(t, number(t)) for t in y.steps(7)], "false-positive rate",
                    "ns per absent key")
        best = front(shown)
        stairs = [(b["fpr"], r["ns_per_key"]) for a, b in zip(best, best[1:]) for r in (a, b)]
        if stairs:
            chart.curve([(best[0]["fpr"], best[0]["ns_per_key"]), *stairs], "#99a", width=1.4)
        names = []
        for r in shown:
            colour, marker, _ = styles(about)[r["family"]]
            on_front = any(r is b for b in best)
            chart.point(marker, (r["fpr"], r["ns_per_key"]), colour,
                        hover(r) + (", on the front" if on_front else ""), 5.2 if on_front else 3.8)
            names.append((*chart.at((r["fpr"], r["ns_per_key"])), r["family"], colour))
        chart.names_beside(names, 11, 52, width - 4, y.end - 8, y.start)
        pictures.append(chart.done())
    return "".join(pictures)
