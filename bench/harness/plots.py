"""The plots of report.html, each returned as SVG."""
import rows as select
from cells import ns
from svg import DASHES, GREY, MARKERS, Axis, Picture, readable, text_width


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
    picture = Picture(width, height, "Time of a lookup against the size of the filter")
    x = Axis(min(r["filter_bytes"] for r in shown) / 1.3,
             max(r["filter_bytes"] for r in shown) * 1.3, 62, width - 130)
    y = Axis(min(r["ns_low"] for r in shown) / 1.15, max(r["ns_high"] for r in shown) * 1.15,
             height - 50, 28)
    sizes = [1024 << i for i in range(0, 25, 2) if x.low <= 1024 << i <= x.high]
    picture.frame(x, y, [(b, select.size(b)) for b in sizes],
                  [(t, number(t)) for t in y.steps(9)], "size of the filter",
                  f"ns per absent key ({about['best_isa']})")
    for level, bytes_ in about["levels"].items():
        if x.low < bytes_ < x.high:
            picture.line(x.at(bytes_), y.start, x.at(bytes_), y.end, "#889", 1, "4 4")
            picture.text(x.at(bytes_), 18, f"{level}: {select.size(bytes_)}", GREY, 11, "middle")
    ends = []
    for family, line in lines.items():
        colour, marker, dash = styles(about)[family]
        at = [(x.at(r["filter_bytes"]), y.at(r["ns_per_key"])) for r in line]
        picture.path(at, colour, dash=dash)
        for r, (px, py) in zip(line, at):
            picture.bar(px, y.at(r["ns_low"]), y.at(r["ns_high"]), colour)
            picture.marker(marker, px, py, colour, hover(r))
        ends.append((*at[-1], family, colour))
    picture.names_at_ends(ends, y.end + 4, y.start - 4)
    return picture.done()


def fpr_against_bits(about, rows, width=980, height=540):
    subjects = [s for s in about["subjects"] if s["filters"] and s["role"] in select.COMPARED]
    picture = Picture(width, height, "False-positive rate against bits per key")
    x = Axis(6, 24.4, 66, width - 130, log=False)
    points = {s["name"]: list({(r["bits_per_key"], r["fpr"]): r for r in rows
                               if r["family"] == s["name"] and r["n_keys"] > 50_000
                               and r["fpr"] > 0 and r["bits_per_key"] <= 24}.values())
              for s in subjects}
    rates = [rate for s in subjects for _, rate in s.get("model", [])]
    rates += [r["fpr"] for some in points.values() for r in some]
    if not rates:
        return ""
    y = Axis(min(rates) / 1.3, max(rates) * 1.2, height - 50, 14)
    picture.frame(x, y, [(b, str(b)) for b in range(6, 25, 2)],
                  [(f, select.percent(f)) for f in y.decades()], "bits per key",
                  "false-positive rate")
    ends = []
    for s in subjects:
        colour, marker, dash = styles(about)[s["name"]]
        line = [(x.at(bits), y.at(rate)) for bits, rate in s.get("model", [])]
        if line:
            picture.path(line, colour, 1.2, dash)
        # Filters of many keys: small ones follow the finite model, not the line.
        for r in sorted(points[s["name"]], key=lambda r: r["bits_per_key"]):
            px = x.at(r["bits_per_key"])
            picture.bar(px, y.at(r["fpr_low"] or r["fpr"]), y.at(r["fpr_high"]), colour)
            picture.marker(marker, px, y.at(r["fpr"]), colour,
                           f"{r['filter']}, {r['bits_per_key']:.2f} bits a key: measured "
                           f"{select.percent(r['fpr'])}, model {select.percent(r['fpr_model'])}",
                           3.6)
            if not s.get("model"):
                line = [(px, y.at(r["fpr"]))]
        if line:
            ends.append((*line[-1], s["name"], colour))
    picture.names_at_ends(ends, y.end + 4, y.start - 4)
    picture.text(x.start + 12, y.start - 12, "marks: measured; lines: the exact models", GREY)
    return picture.done()


def front(points):
    """Of rows those that no other beats in both FPR and time, from the least FPR on."""
    best, out = float("inf"), []
    for r in sorted(points, key=lambda r: (r["fpr"], r["ns_per_key"])):
        if r["ns_per_key"] < best:
            best = r["ns_per_key"]
            out.append(r)
    return out


def place_names(picture, points, right, low, high, size=11):
    """A name beside each point where it hides neither a point nor a name: [(x, y, text, colour)]"""
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py, *_ in points]
    for px, py, text, colour in sorted(points):
        wide = text_width(text, size)
        boxes = [(px + dx, py + dy - size, px + dx + wide, py + dy + 2)
                 for dx, dy in ((8, 4), (-wide - 8, 4), (8, -7), (8, 15), (-wide - 8, -7),
                                (-wide - 8, 15), (-wide / 2, -10), (-wide / 2, 20), (8, 28),
                                (8, -20))]
        boxes = [b for b in boxes if b[2] < right and b[0] > 52 and low < b[1] and b[3] < high]

        def hidden(box):
            return sum(max(0, min(box[2], t[2]) - max(box[0], t[0]))
                       * max(0, min(box[3], t[3]) - max(box[1], t[1])) for t in taken)

        if boxes:
            box = min(boxes, key=hidden)
            taken.append(box)
            picture.text(box[0], box[3] - 2, text, readable(colour), size)


def time_against_fpr(about, rows, width=480, height=350):
    """One picture a memory level; the line is the front."""
    pictures = []
    for level, bytes_ in select.nominal_sizes(rows).items():
        shown = [r for r in select.at_12_bits(rows, level, bytes_, about).values()
                 if abs(r["bits_per_key"] - 12) <= 0.7 and r["fpr"] > 0]
        if not shown:
            continue
        picture = Picture(width, height, f"Time against false-positive rate, {level}")
        x = Axis(min(r["fpr"] for r in shown) / 1.5, max(r["fpr"] for r in shown) * 2.2, 56,
                 width - 10)
        y = Axis(min(r["ns_per_key"] for r in shown) / 1.35,
                 max(r["ns_per_key"] for r in shown) * 1.35, height - 46, 34)
        picture.text(x.start, 18, select.heading(about, rows, level, bytes_), size=13, bold=True)
        picture.frame(x, y, [(f, select.percent(f)) for f in x.decades((1, 2, 5))],
                      [(t, number(t)) for t in y.steps(7)], "false-positive rate",
                      "ns per absent key")
        best = front(shown)
        corners = []
        for r in best:
            at = (x.at(r["fpr"]), y.at(r["ns_per_key"]))
            if corners:
                corners.append((at[0], corners[-1][1]))
            corners.append(at)
        if len(corners) > 1:
            picture.path(corners, "#445", 1.4, "", "0.55")
        names = []
        for r in shown:
            colour, marker, _ = styles(about)[r["family"]]
            at = (x.at(r["fpr"]), y.at(r["ns_per_key"]))
            on_front = any(r is b for b in best)
            picture.marker(marker, *at, colour, hover(r) + (", on the front" if on_front else ""),
                           5.2 if on_front else 3.8)
            names.append((*at, r["family"], colour))
        place_names(picture, names, width - 4, y.end - 8, y.start)
        pictures.append(picture.done())
    return "".join(pictures)
