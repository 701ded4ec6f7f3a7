"""The pictures of papers/plots.md: what published FPR formulas are off by, and the space that an
FPR takes. They follow from formulas, exact models and the newest record."""
import math
import os

from svg import GREY, INK, Axis, Chart, Picture, luminance, power, readable, spread_out

BLOCKS = (32, 64, 128, 256, 512)
BITS, KS = range(4, 25), range(1, 17)
# A formula for blocks, and what is written beside its row.
FORMULAS = {"asymptotic": ("(1 - e^(-k/c))^k", "one array's formula", "for blocks"),
            "rocksdb": ("RocksDB", "lines a deviation", "fuller and emptier"),
            "lang_self_collision": ("Lang et al. 2019", "k less self-", "collisions"),
            "putze": ("Putze et al. 2007", "Poisson mixture of", "Bloom's formula")}
K_NAMES = ((1, "1"), (4, "4"), (8, "8"), (12, "12"), (16, "16"))
BITS_NAMES = tuple((bits - 4, str(bits)) for bits in range(4, 25, 4))
SMALL = {"over": "classic_exact", "x": "keys", "xs": [round(10 ** (1 + i / 8)) for i in range(25)],
         "y": "k", "ys": KS, "bits_per_key": 10}
# The other fields: title, what is to the right, names of columns, what is upward, names of lines,
# and the set-up of the probe.
KEYS = ("keys in the array", ((0, "10"), (8, "100"), (16, "1,000"), (24, "10,000")), "k", K_NAMES)
PANELS = {
    "One small array,": {
        "(1 - e^(-k/c))^k": (*KEYS, {**SMALL, "name": "asymptotic"}),
        "Bloom: (1 - (1 - 1/m)^(kn))^k": (*KEYS, {**SMALL, "name": "classic"}),
        "ideal for probes h1 + i h2": (*KEYS, {**SMALL, "name": "classic_exact",
                                               "over": "double_hashing_exact"})},
    "One layout": {
        "Lang et al. 2019: zoned512, z = 2": (
            "bits a key", BITS_NAMES, "k", ((1, "2"), (4, "8"), (8, "16")),
            {"name": "lang_zoned", "over": "zoned", "groups": 2, "x": "bits_per_key", "xs": BITS,
             "y": "k", "ys": range(2, 17, 2)}),
        "Poisson for whole blocks: split256": (
            "keys in the filter", ((0, "32"), (12, "1,000"), (24, "32,000")), "bits a key",
            ((1, "8"), (5, "12"), (9, "16"), (13, "20")),
            {"name": "split_block_poisson", "over": "split_block_few", "x": "keys",
             "xs": [round(32 * 2 ** (10 * i / 24)) for i in range(25)], "y": "bits_per_key",
             "ys": range(8, 24)}),
        "cuckoo filters: 2b / 2^f, b = 4": (
            "load", ((0, "0.5"), (10, "0.7"), (20, "0.9")), "f",
            ((1, "4"), (5, "8"), (9, "12"), (13, "16")),
            {"name": "cuckoo_bound", "over": "cuckoo", "x": "load",
             "xs": [round(0.5 + 0.02 * i, 2) for i in range(25)], "y": "fingerprint",
             "ys": range(4, 20)})}}
SIZING = {"one array for B = 64": {"name": "asymptotic", "over": "blocked", "block": 64},
          "one array for B = 256": {"name": "asymptotic", "over": "blocked", "block": 256},
          "one array for B = 512": {"name": "asymptotic", "over": "blocked", "block": 512},
          "Parquet's m": {"name": "asymptotic", "over": "split_block", "fixed_k": 8},
          "Putze for B = 64": {"name": "putze", "over": "blocked", "block": 64},
          "Putze for B = 512": {"name": "putze", "over": "blocked", "block": 512},
          "RocksDB for B = 512": {"name": "rocksdb", "over": "blocked", "block": 512}}
SPECS = ("classic blocked512 sector512 zoned512:z=2 split256 register64 register32 cuckoo8 "
         "cuckoo12 cuckoo16 fuse fuse:d=4")


def models(prober):
    """What formulas and exact models say; no times. A field has a list over y for each x."""
    def field(xs, ys, **setup):
        points = prober.samples("plot_field", {**setup, "xs": " ".join(map(str, xs)),
                                               "ys": " ".join(map(str, ys))})
        values = [point["value"] for point in points]
        return [values[i:i + len(ys)] for i in range(0, len(values), len(ys))]

    def of_blocks(block, name, over):
        return field(BITS, KS, name=name, over=over, block=block, x="bits_per_key", y="k")

    return {
        "blocks": {name: {str(block): of_blocks(block, name, "blocked") for block in BLOCKS}
                   for name in FORMULAS},
        # The k of least exact FPR, for each column.
        "best": {str(block): [1 + column.index(min(column))
                              for column in of_blocks(block, "blocked", "one")]
                 for block in BLOCKS},
        "panels": {title: field(**of[-1]) for row in PANELS.values() for title, of in row.items()},
        "sizing": {name: [[p["fpr"], p["lacks"], p["delivered"]]
                          for p in prober.samples("plot_sizing", setup)]
                   for name, setup in SIZING.items()},
        "space": [[p["name"], p["bits"], p["fpr"]]
                  for p in prober.samples("plot_space", {"keys": "1e6", "specs": SPECS})]}


# Upper ends of classes of the relative error, and their colours: too low blue, too high orange.
CLASSES = ((-0.5, "#08306b"), (-0.2, "#2171b5"), (-0.1, "#6baed6"), (-0.05, "#9ecae1"),
           (-0.02, "#c6dbef"), (-0.01, "#e3eef9"), (0.01, "#ffffff"), (0.02, "#feedde"),
           (0.05, "#fdd0a2"), (0.1, "#fdae6b"), (float("inf"), "#d94801"))
CELL = 6.0


def colour_of(error):
    return next(colour for most, colour in CLASSES if error <= most)


def legend(picture, left, top, wide=62.0):
    """The classes; an end of a class stands where two colours meet."""
    for i, (end, colour) in enumerate(CLASSES):
        picture.add("rect", x=left + i * wide, y=float(top), width=wide, height=13.0, fill=colour,
                    stroke="#99a")
        if end < float("inf"):
            picture.label(left + (i + 1) * wide, top + 26, f"{100 * end:+g} %")


def field(picture, left, top, columns, x_names=(), y_names=(), best=()):
    """A heat map with names of columns and of lines, from 1 below; a dot marks the best k."""
    lines = len(columns[0])
    picture.heat(left, top, columns, colour_of, CELL)
    for i, k in enumerate(best):
        dark = luminance(colour_of(columns[i][k - 1])) < 0.3
        picture.add("circle", cx=left + (i + 0.5) * CELL, cy=top + (lines - k + 0.5) * CELL, r=1.5,
                    fill="#fff" if dark else INK)
    for i, text in x_names:
        picture.label(left + (i + 0.5) * CELL, top + lines * CELL + 13, text)
    for j, text in y_names:
        picture.label(left - 5, top + (lines - j + 0.5) * CELL + 3.5, text, anchor="end")


def error_map(data, width=860):
    """Rows of formulas and columns of block sizes, each over bits a key and k; then arrays and
    layouts of their own."""
    left, top, wide, tall = 150, 92, 21 * CELL + 12, 16 * CELL + 24
    below = top + tall * len(FORMULAS) + 50
    picture = Picture(width, int(below + 32 * CELL + 116), "The error of published FPR formulas")
    picture.label(8, 20, "Published FPR over exact FPR, less 1", INK, 15, "start", True)
    legend(picture, left, 32)
    for i, (name, text) in enumerate(FORMULAS.items()):
        y, last = top + i * tall, i == len(FORMULAS) - 1
        for line, words in enumerate(text):
            picture.label(8, y + 36 + 14 * line, words, INK, 11, "start", line == 0)
        for j, block in enumerate(map(str, BLOCKS)):
            x = left + j * wide
            if i == 0:
                picture.label(x + 21 * CELL / 2, y - 10, f"blocks of {block} bits", INK, 11)
            field(picture, x, y, data["blocks"][name][block], BITS_NAMES if last else (),
                  () if j else K_NAMES, data["best"][block])
    picture.label(left + 2.5 * wide, below - 34, "bits a key; up: k = 1 to 16; a dot: the k of "
                  "least exact FPR", size=11)
    for row, (heading, panels) in enumerate(PANELS.items()):
        y = below + row * (16 * CELL + 68)
        picture.label(8, y + 42, heading, INK, 11, "start", True)
        if heading.endswith(","):
            picture.label(8, y + 56, "10 bits a key", INK, 11, "start")
        for j, (title, (right, x_names, up, y_names, _)) in enumerate(panels.items()):
            x, columns = left + j * (25 * CELL + 90), data["panels"][title]
            picture.label(x, y - 6, title, INK, 11, "start", True)
            field(picture, x, y, columns, x_names, y_names)
            picture.label(x + len(columns) * CELL / 2, y + len(columns[0]) * CELL + 28,
                          f"{right}; up: {up}", size=11)
    return picture.done()


def percent(rate):
    return f"{100 * rate:.3g} %"


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")


def sizing(curves, width=860, height=420):
    """The bits a key that a filter lacks if a formula sized it, over the FPR that was wanted."""
    x, y = Axis(0.1, 1e-4, 70, width - 250), Axis(0.001, 40, height - 52, 40)
    chart = Chart(width, height, "What sizing by a published formula costs", x, y,
                  "Bits a key that a filter lacks, if a formula sized it")
    chart.frame([(f, percent(f)) for f in (0.1, 0.01, 1e-3, 1e-4)],
                [(b, f"{b:g}") for b in y.decades()], "FPR that was wanted", "bits a key")
    for i, (name, points) in enumerate(curves.items()):
        chart.curve([(f, max(lacks, y.low)) for f, lacks, _ in points if lacks > 0], COLOURS[i],
                    f"{name}: {points[-1][2]:.3g} p", 2, ("", "7 3", "2 3")[i % 3])
    chart.label(width - 8, y.start - 10, "behind the names: FPR where p = 0.01 % was wanted",
                size=11, anchor="end")
    return chart.done(15, 11)


# Colour and dashes of each structure. The three cuckoo filters are points.
STYLES = {"classic": ("#555b66", ""), "blocked512": ("#cc79a7", ""),
          "sector512": ("#d55e00", "7 3"), "zoned512": ("#b5622c", "2 3"),
          "split256": ("#e69f00", ""), "register64": ("#56b4e9", ""),
          "register32": ("#2a80b9", "7 3"), "cuckoo": ("#009e73", ""), "fuse": ("#243a8c", ""),
          "fuse:d=4": ("#243a8c", "2 3")}


def style(name):
    return next(look for start, look in sorted(STYLES.items(), reverse=True)
                if name.startswith(start))


def up_to(points, most):
    """The points of a curve that rises, up to y = most, where it is cut."""
    kept = [p for p in points if p[1] <= most]
    beyond = points[len(kept):][:1]
    if kept and beyond:
        (x0, y0), (x1, y1) = kept[-1], beyond[0]
        kept.append((x0 + (x1 - x0) * (most - y0) / (y1 - y0), most))
    return kept


def space(models_, published, measured, width=900, height=660):
    """Lines of models, points of (bits a key, FPR, name)."""
    x, y = Axis(2, 17.01, 58, width - 110, log=False), Axis(2, 26, height - 68, 70, log=False)
    chart = Chart(width, height, "Bits a key against the FPR", x, y,
                  "Space for an FPR, a million keys")
    chart.frame([(b, power(2, -b)) for b in range(2, 18, 2)],
                [(b, str(b)) for b in range(4, 27, 4)], "", "bits a key")
    for rate in (0.1, 1e-2, 1e-3, 1e-4, 1e-5):
        at = x.at(-math.log2(rate))
        chart.line(at, y.start, at, y.start + 24, "#99a")
        chart.label(at, y.start + 36, percent(rate), size=11)
    chart.label((x.start + x.end) / 2, y.start + 56, "FPR", INK, 12)
    chart.curve([(2, 2), (17, 17)], "#5b6270", "lower bound", 1.4, "1 3")
    curves, above, names = {}, [], []
    for name, bits, rate in models_:
        curves.setdefault(name, []).append((-math.log2(rate), bits))
    for name, points in curves.items():
        colour, dash = style(name)
        line = [p for p in up_to(points, y.high) if 2 <= p[0] <= x.high]
        if len(points) == 1:
            chart.point("diamond", line[0], colour, name)
            names.append((*chart.at(line[0]), name, colour))
        elif line[-1][1] < y.high:
            chart.curve(line, colour, name, 1.7, dash)
        else:
            chart.curve(line, colour, "", 1.7, dash)
            above.append((x.at(line[-1][0]), name, colour))
    above.sort()
    for (end, name, colour), at in zip(above, spread_out([end for end, *_ in above], 78, 0, width)):
        chart.path([(end, y.end - 2), (at, y.end - 13)], colour, 0.8)
        chart.label(at, y.end - 17, name, readable(colour), 11)
    for bits, rate, spec in measured:
        if 2 <= -math.log2(rate) <= 17 and bits <= y.high:
            chart.point("circle", (-math.log2(rate), bits), style(spec)[0],
                        f"{spec}, {bits:.3g} bits a key: measured {percent(rate)}", 3.4)
    for bits, rate, name in published:
        at = chart.at((-math.log2(rate), bits))
        chart.add("circle", f"{name}: {bits:g} bits a key, {percent(rate)}", cx=at[0], cy=at[1],
                  r=4.6, fill="none", stroke=INK, stroke_width=1.2)
        names.append((*at, name, INK))
    chart.names_beside(names, 10)
    for line, text in enumerate(("lines: exact models", "filled: measured, in the record",
                                 "hollow: fastfilter_cpp's table, 2018")):
        chart.text(x.end - 12, y.start - 50 + 16 * line, text, GREY, 11, "end")
    return chart.done()


def published_points(folder):
    """(bits a key, FPR, name) of the table of fastfilter_cpp on its first machine."""
    with open(os.path.join(folder, "fastfilter-2018.csv"), encoding="utf-8") as file:
        names, *rows = (line.strip().split(",") for line in file if not line.startswith("#"))
    rows = (dict(zip(names, row)) for row in rows)
    return [(float(r["bits_per_key"]), float(r["fpr"]), r["filter"]) for r in rows
            if r["machine"] == "recentintel" and "addall" not in r["filter"]]


def measured_points(record):
    """(bits a key, FPR, spec) of a record."""
    return [(float(e["setup"]["bits_per_key"]), e["ours"], e["setup"]["spec"])
            for e in record["claims"]
            if e["probe"] == "fpr" and "of_strangers" not in e["setup"] and e["ours"]]


def pictures(exact, record, data_folder):
    """File names and SVG texts, of what models() gives, a record, and papers/data."""
    return {"errors.svg": error_map(exact), "sizing.svg": sizing(exact["sizing"]),
            "space.svg": space(exact["space"], published_points(data_folder),
                               measured_points(record))}
