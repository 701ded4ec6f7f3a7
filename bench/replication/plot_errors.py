"""The error map: published FPR formulas over exact models, and what sizing by them costs."""
from svg import GREY, INK, Axis, Picture, luminance

# Upper ends of classes of the relative error, and their colours: too low blue, too high orange.
CLASSES = ((-0.5, "#08306b"), (-0.2, "#2171b5"), (-0.1, "#6baed6"), (-0.05, "#9ecae1"),
           (-0.02, "#c6dbef"), (-0.01, "#e3eef9"), (0.01, "#ffffff"), (0.02, "#feedde"),
           (0.05, "#fdd0a2"), (0.1, "#fdae6b"), (float("inf"), "#d94801"))
ENDS = ("-50 %", "-20 %", "-10 %", "-5 %", "-2 %", "-1 %", "+1 %", "+2 %", "+5 %", "+10 %")
CELL = 6.0
EDGE = "#99a"


def colour_of(error):
    return next(colour for most, colour in CLASSES if error <= most)


def heat(picture, left, top, columns, exact_best=None):
    """columns[i][j] is the error of column i and k = j + 1; rows of k from below. A dot marks the k
    of least exact FPR of each column."""
    lines = len(columns[0])
    for j in range(lines):
        begin = 0
        for i in range(1, len(columns) + 1):
            colour = colour_of(columns[begin][j])
            if i < len(columns) and colour_of(columns[i][j]) == colour:
                continue
            picture.add("rect", x=left + begin * CELL, y=top + (lines - 1 - j) * CELL,
                        width=(i - begin) * CELL, height=CELL, fill=colour,
                        shape_rendering="crispEdges")
            begin = i
    for i, k in enumerate(exact_best or ()):
        dark = luminance(colour_of(columns[i][k - 1])) < 0.3
        picture.add("circle", cx=left + (i + 0.5) * CELL, cy=top + (lines - k + 0.5) * CELL, r=1.5,
                    fill="#fff" if dark else INK)
    picture.add("rect", x=left, y=top, width=len(columns) * CELL, height=lines * CELL, fill="none",
                stroke=EDGE)


def legend(picture, left, top):
    """The classes; an end of a class stands where two colours meet."""
    wide = 62.0
    for i, (_, colour) in enumerate(CLASSES):
        picture.add("rect", x=left + i * wide, y=float(top), width=wide, height=13.0, fill=colour,
                    stroke=EDGE)
        if i:
            picture.text(left + i * wide, top + 26, ENDS[i - 1], GREY, 10, "middle", halo=False)


def k_axis(picture, left, top, lines, names=((1, 1), (4, 4), (8, 8), (12, 12), (16, 16))):
    """names: the number of a row, from 1 below, and what it is."""
    for row, name in names:
        picture.text(left - 5, top + (lines - row + 0.5) * CELL + 3.5, str(name), GREY, 10, "end",
                     halo=False)


# Title, what is to the right, columns with a name, what is upward, rows with a name.
PANELS = {
    "lang_zoned": ("Lang et al. 2019: zoned512, z = 2", "bits a key",
                   ((0, "4"), (4, "8"), (8, "12"), (12, "16"), (16, "20"), (20, "24")), "k",
                   ((1, 2), (4, 8), (8, 16))),
    "poisson": ("Poisson for whole blocks: split256", "keys in the filter",
                ((0, "32"), (12, "1,000"), (24, "32,000")), "bits a key",
                ((1, 8), (5, 12), (9, 16), (13, 20))),
    "cuckoo_bound": ("cuckoo filters: 2b / 2^f, b = 4", "load",
                     ((0, "0.5"), (10, "0.7"), (20, "0.9")), "f", ((1, 4), (5, 8), (9, 12),
                                                                   (13, 16)))}


def panels(picture, data, left, top):
    """Formulas of one layout each, side by side."""
    for j, (name, (title, right, columns, upward, rows)) in enumerate(PANELS.items()):
        x, field = left + j * (25 * CELL + 90), data[name]
        lines = len(field[0])
        picture.text(x, top - 6, title, size=11, bold=True, halo=False)
        heat(picture, x, top, field)
        k_axis(picture, x, top, lines, rows)
        for i, text in columns:
            picture.text(x + (i + 0.5) * CELL, top + lines * CELL + 13, text, GREY, 10, "middle",
                         halo=False)
        picture.text(x + len(field) * CELL / 2, top + lines * CELL + 28, f"{right}; up: {upward}",
                     GREY, 11, "middle", halo=False)


def error_map(data, width=860):
    """Rows of formulas and columns of block sizes, each over bits a key and k; then small arrays
    over their number of keys."""
    formulas, blocks = data["formulas"], data["blocks"]
    left, top, wide, tall = 150, 84, 21 * CELL + 12, 16 * CELL + 24
    below = top + tall * len(formulas) + 58
    picture = Picture(width, int(below + 32 * CELL + 116), "The error of published FPR formulas")
    picture.text(8, 20, "Published FPR over exact FPR, less 1", size=15, bold=True, halo=False)
    legend(picture, left, 32)
    for j, block in enumerate(blocks):
        picture.text(left + j * wide + 21 * CELL / 2, top - 2, f"blocks of {block} bits",
                     size=11, anchor="middle", halo=False)
    for i, (name, row) in enumerate(formulas.items()):
        y = top + 8 + i * tall
        for line, text in enumerate(data["names"][name]):
            picture.text(8, y + 36 + 14 * line, text, size=11, bold=line == 0, halo=False)
        k_axis(picture, left, y, 16)
        for j, block in enumerate(blocks):
            x = left + j * wide
            heat(picture, x, y, row[str(block)], data["best"][str(block)])
            if i == len(formulas) - 1:
                for bits in (4, 8, 12, 16, 20, 24):
                    picture.text(x + (bits - 4 + 0.5) * CELL, y + 16 * CELL + 13, str(bits), GREY,
                                 10, "middle", halo=False)
    picture.text(left + 2.5 * wide, below - 34, "bits a key; up: k = 1 to 16; a dot: the k of "
                 "least exact FPR", GREY, 11, "middle", halo=False)
    for j, (name, columns) in enumerate(data["small"].items()):
        x = left + j * (25 * CELL + 90)
        picture.text(x, below - 6, data["names"][name][0], size=11, bold=True, halo=False)
        heat(picture, x, below, columns)
        k_axis(picture, x, below, 16)
        for i, keys in ((0, "10"), (8, "100"), (16, "1,000"), (24, "10,000")):
            picture.text(x + (i + 0.5) * CELL, below + 16 * CELL + 13, keys, GREY, 10, "middle",
                         halo=False)
    picture.text(8, below + 42, "One small array,", size=11, bold=True, halo=False)
    picture.text(8, below + 56, "10 bits a key", size=11, halo=False)
    picture.text(left + 1.5 * (25 * CELL + 60), below + 16 * CELL + 34, "keys in the array", GREY,
                 11, "middle", halo=False)
    picture.text(8, below + 16 * CELL + 110, "One layout", size=11, bold=True, halo=False)
    panels(picture, data["panels"], left, below + 16 * CELL + 68)
    return picture.done()


def percent(share):
    return f"{100 * share:.3g} %"


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#8c564b")


def sizing(data, width=860, height=420):
    """The bits a key that a filter lacks if a formula sized it, over the FPR that was wanted."""
    picture = Picture(width, height, "What sizing by a published formula costs")
    x = Axis(0.1, 1e-4, 70, width - 250)
    curves = data["sizing"]
    y = Axis(0.001, 40, height - 52, 40)
    picture.text(8, 20, "Bits a key that a filter lacks, if a formula sized it", size=15, bold=True,
                 halo=False)
    picture.frame(x, y, [(f, percent(f)) for f in (0.1, 0.01, 1e-3, 1e-4)],
                  [(b, f"{b:g}") for b in (0.001, 0.01, 0.1, 1, 10)], "FPR that was wanted",
                  "bits a key")
    ends = []
    for i, (name, points) in enumerate(curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        line = [(x.at(f), y.at(max(lack, y.low))) for f, lack, _ in points if lack > 0]
        picture.path(line, colour, 2, ("", "7 3", "2 3")[i % 3])
        ends.append((*line[-1], f"{name}: {points[-1][2]:.3g} p", colour))
    picture.names_at_ends(ends, y.end + 4, y.start - 4, 15, 11)
    picture.text(width - 8, y.start - 10, "behind the names: FPR where p = 0.01 % was wanted", GREY,
                 11, "end", halo=False)
    return picture.done()
