"""Lang's skyline: for so many keys and so much work spared, the filter of least time."""
import math
import re

from skyline import NO_FILTER, name_regions
from svg import GREY, Axis, Picture, power, text_width

COLOURS = {NO_FILTER: "#f1f2f4", "register32": "#bfe3f7", "register64": "#56b4e9",
           "split256": "#e69f00", "split512": "#f6d38a", "sector512": "#d55e00",
           "zoned512": "#f2a97e", "blocked512": "#dd9cc0", "classic": "#b3b7be",
           "cuckoo8": "#a9e2cf", "cuckoo12": "#3db893", "cuckoo16": "#00664a", "fuse": "#243a8c",
           "growing": "#f0e442"}
# From light to dark, for values that only rise.
RAMP = ("#f7fbff", "#deebf7", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c",
        "#08306b")
WORK, KEYS = (4, 10, 16, 22, 28), (10, 16, 22, 28)


def family(spec):
    """The structure; growing filters of all slots are one."""
    return re.sub(r"(growing)\d+", r"\1", spec.split(":")[0]) or NO_FILTER


def bits_set(spec):
    """The k of a spec, or its check bits; layouts that name none set 8."""
    found = re.search(r"\b[kf]=(\d+)", spec)
    if found:
        return int(found[1])
    found = re.fullmatch(r"(?:cuckoo|growing)(\d+)", spec)
    return int(found[1]) if found else 8


def columns(cells):
    by_keys = {}
    for cell in cells:
        by_keys.setdefault(cell[0], []).append(cell)
    return list(by_keys.values())


def panel(picture, cells, x, y, value_of, colour_of, about):
    """Cells of one panel; equal values above each other become one rectangle."""
    grid = columns(cells)
    wide = (x.end - x.start) / len(grid)
    tall = (y.start - y.end) / len(grid[0])
    for i, column in enumerate(grid):
        begin = 0
        for j in range(1, len(column) + 1):
            value = value_of(column[begin])
            if j < len(column) and value_of(column[j]) == value:
                continue
            picture.add("rect", about(column[begin]), x=x.start + i * wide, y=y.start - j * tall,
                        width=wide + 0.3, height=(j - begin) * tall + 0.3, fill=colour_of(value),
                        shape_rendering="crispEdges")
            begin = j
    return [[value_of(cell) for cell in column] for column in grid]


def axes(picture, x, y, title, small):
    size = 10 if small else 11
    picture.add("rect", x=x.start, y=y.end, width=x.end - x.start, height=y.start - y.end,
                fill="none", stroke="#99a")
    for value in KEYS:
        picture.text(x.at(value), y.start + 15, power(2, value), GREY, size, "middle", halo=False)
    for value in WORK:
        picture.text(x.start - 5, y.at(value) + 4, power(2, value), GREY, size, "end", halo=False)
    picture.text(x.start, y.end - (8 if small else 20), title, size=12 if small else 13, bold=True,
                 halo=False)


def classes(limits, last):
    """A function from a value to the index of its class."""
    def class_of(value):
        return next((i for i, limit in enumerate(limits) if value < limit), last)
    return class_of


FACETS = (  # title, value of a cell, upper ends of the classes, names of the classes
    ("bits a key", lambda c: c[3], (4, 6, 8, 10, 12, 15, 18), "4 6 8 10 12 15 18"),
    ("bits set or check bits", lambda c: bits_set(c[2]), (3, 5, 7, 9, 11, 13, 16),
     "3 5 7 9 11 13 16"),
    ("least rho, cycles", lambda c: c[4], (2, 3, 5, 10, 30, 100, 1000), "2 3 5 10 30 100 1000"),
    ("regret of the default, %", lambda c: 100 * (c[5] / c[4] - 1), (2, 10, 25, 50, 100, 400, 2000),
     "2 10 25 50 100 400 2000"))


def key(picture, x, y, names):
    """The classes of a facet: the upper ends between their colours."""
    step = (x.end - x.start) / (len(names) + 1)
    for i in range(len(names) + 1):
        picture.add("rect", x=x.start + i * step, y=float(y), width=step, height=9.0, fill=RAMP[i],
                    stroke="#99a", stroke_width=0.5)
    for i, name in enumerate(names):
        picture.text(x.start + (i + 1) * step, y + 20, name, GREY, 9, "middle", halo=False)


def skylines(data, machine, ghz, width=1000):
    picture = Picture(width, 836, "The filter of least time for n keys and work t_w")
    caches = {name: 1024 * int(kib)
              for name, kib in re.findall(r"(L\d)d? (\d+) KiB", machine["caches"])}

    def about(cell):
        spec = cell[2] or NO_FILTER
        return (f"2^{cell[0]:g} keys, 2^{cell[1]:g} cycles: {spec}, {cell[3]:.3g} bits a key, rho "
                f"{cell[4]:.3g} cycles")

    for i, (name, title) in enumerate((("static", "all keys are there at once"),
                                       ("growing", "keys come one after the other"))):
        x = Axis(9.75, 28.25, 58 + i * 490, 58 + i * 490 + 430, log=False)
        y = Axis(3.75, 31.25, 430, 50, log=False)
        grid = panel(picture, data[name], x, y, lambda c: family(c[2]), COLOURS.get, about)
        axes(picture, x, y, f"Least time: {title}", False)
        for level, bytes_ in caches.items():
            at = math.log2(bytes_ * 8 / 12)
            picture.line(x.at(at), y.start, x.at(at), y.end, "#fff", 1.2, "2 4")
            picture.text(x.at(at), y.end - 4, level, GREY, 10, "middle", halo=False)
        name_regions(picture, grid, x, y, COLOURS, 12)
        picture.text((x.start + x.end) / 2, y.start + 34, "keys in the filter", size=11,
                     anchor="middle", halo=False)
    present = {family(cell[2]) for cells in data.values() for cell in cells}
    at = 58
    for name in (name for name in COLOURS if name in present):
        picture.add("rect", x=float(at), y=482.0, width=14.0, height=12.0, fill=COLOURS[name],
                    stroke="#99a", stroke_width=0.5)
        picture.text(at + 19, 492, name, size=11, halo=False)
        at += 36 + text_width(name, 11)
    picture.text(14, 240, "work that one \"not in\" spares, cycles", size=11, anchor="middle",
                 turned=True, halo=False)
    for i, (title, value, limits, names) in enumerate(FACETS):
        x = Axis(9.75, 28.25, 58 + i * 240, 58 + i * 240 + 190, log=False)
        y = Axis(3.75, 31.25, 766, 556, log=False)
        class_of = classes(limits, len(limits))
        panel(picture, data["static"], x, y, lambda c, v=value, k=class_of: k(v(c)),
              lambda index: RAMP[index], about)
        axes(picture, x, y, title, True)
        key(picture, x, y.start + 26, names.split())
    picture.text(width - 8, 828, f"{ghz:.2f} GHz; facets: all keys are there at once; default: "
                 "split256 of 12 bits a key", GREY, 10, "end", halo=False)
    return picture.done()
