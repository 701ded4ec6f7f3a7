"""The skyline of a machine: for so many keys, and so much work spared by each key that a filter
answers "not in", which filter leaves the least time. After Lang et al., "Performance-Optimal
Filtering", 2019."""
import math

import rows as select
from svg import AXIS, INK, NARROW, PALE, WIDE, Axis, Chart, luminance, text_width

NO_FILTER, NOT_MEASURED = "no filter", "not measured"
LEAST_WORK, MOST_WORK = 0.2, 1e6  # ns
COLUMNS, LINES = 56, 64
WORK_NAMES = {1: "1 ns", 10: "10 ns", 100: "100 ns", 1e3: "1 µs", 1e4: "10 µs", 1e5: "100 µs",
              1e6: "1 ms"}
# Orders of magnitude, to find one's own work on the axis.
EXAMPLES = {100: "load from DRAM", 1e5: "read from SSD"}


def series(about, rows, most_bits=None):
    """For each filter and space, the points [(keys, row)] it was measured at: those near most_bits
    a key; or every space, at the sizes where at least three were measured."""
    usual = [r for r in rows if select.is_standard_lookup(r, about)]
    sizes = [size for size in select.nominal_sizes(rows).values()
             if len({round(r["bits_per_key"]) for r in usual if is_at(r, size)}) > 2]
    found = {}
    for r in usual:
        bits = r["bits_per_key"]
        if (not most_bits - 1 < bits <= most_bits if most_bits
                else not any(is_at(r, size) for size in sizes)):
            continue
        points = found.setdefault((r["family"], round(2 * bits) / 2), {})
        points.setdefault(r["n_keys"], r)
    return {key: sorted(points.items()) for key, points in found.items()}


def is_at(row, bytes_):
    return abs(row["filter_bytes"] / bytes_ - 1) < 0.03


def between(points, n, measured, bits=None):
    """(ns a lookup, FPR, nearest row) for n keys of so many bits, on a straight line in logarithms
    between two measured sizes; None where others were measured between these two: a straight line
    past a step of the caches would win there without a lookup."""
    for (n0, a), (n1, b) in zip(points, points[1:]):
        low, high = a["filter_bytes"], b["filter_bytes"]
        bytes_ = n * (bits or a["bits_per_key"]) / 8
        if (0.9 * low <= bytes_ <= 1.1 * high
                and not any(1.3 * low < between_ < high / 1.3 for between_ in measured)):
            share = min(1, max(0, math.log(n / n0) / math.log(n1 / n0)))
            mix = [a[of] ** (1 - share) * b[of] ** share if a[of] > 0 and b[of] > 0 else
                   (1 - share) * a[of] + share * b[of] for of in ("ns_per_key", "fpr")]
            return (*mix, a if share < 0.5 else b)
    return None


def least_touch(lines, bytes_):
    """The time of `touch` at the next smaller size that any filter was measured at."""
    rows = [r for points in lines.values() for _, r in points
            if r["touch_ns"] and r["filter_bytes"] <= bytes_]
    largest = max((r["filter_bytes"] for r in rows), default=0)
    return min((r["touch_ns"] for r in rows if r["filter_bytes"] > largest / 1.3), default=0)


def at_least(points, n, lines, bits=None):
    """The candidate of a filter that was not measured around n keys: it takes at least the time of
    its next smaller size, and that of loading a line."""
    bytes_ = n * (bits or points[0][1]["bits_per_key"]) / 8
    smaller = [(0.0, points[0][1])] + [(row["ns_per_key"], row) for _, row in points
                                       if row["filter_bytes"] <= bytes_]
    ns, row = smaller[-1]
    return NOT_MEASURED, max(ns, least_touch(lines, bytes_)), row["fpr"], row


def best_at(candidates):
    """The lower envelope of t_l + f * t_w: [(from t_w, candidate)], candidates being
    (name, t_l, f, row)."""
    steps, work = [], LEAST_WORK
    here = min(candidates, key=lambda c: (c[1] + c[2] * work, c[2]))
    while True:
        steps.append((work, here))
        crossings = [((c[1] - here[1]) / (here[2] - c[2]), c[2], i)
                     for i, c in enumerate(candidates) if c[2] < here[2]]
        crossings = [c for c in crossings if c[0] < MOST_WORK]
        if not crossings:
            return steps
        at, _, i = min(crossings)
        work, here = max(at, work), candidates[i]


def time(ns):
    for unit, scale in (("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns"


def count(n):
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= scale:
            return f"{n / scale:.3g} {unit}"
    return f"{n:.0f}"


def columns_of(lines, low, high, bits):
    """For each column its middle and its steps. NOT_MEASURED is the answer where a filter that was
    not measured at that size may leave less time than those that were."""
    measured = {row["filter_bytes"] for points in lines.values() for _, row in points}
    edges = [low * (high / low) ** (i / COLUMNS) for i in range(COLUMNS + 1)]
    out = []
    for left, right in zip(edges, edges[1:]):
        n = math.sqrt(left * right)
        candidates = [(NO_FILTER, 0.0, 1.0, None)]
        missing = []
        for (family, _), points in lines.items():
            if (at := between(points, n, measured, bits)) is not None:
                candidates.append((family, *at))
            else:
                missing.append(at_least(points, n, lines, bits))
        here = {(name, round(row["bits_per_key"])) for name, *_, row in candidates if row}
        out.append((left, right, n, best_at(candidates + [
            c for c in missing if (c[3]["family"], round(c[3]["bits_per_key"])) not in here])))
    return out


def widest_room(cells, width):
    """The middle of the place for a name `width` columns wide that has most lines above and below
    it, of these the most central; None if there is none with one of each."""
    def lines(i, j, step):
        n = 0
        while n < 6 and all((c, j + step * (n + 1)) in cells for c in range(i, i + width)):
            n += 1
        return n

    middle = [sum(at) / len(cells) for at in zip(*cells)]
    best = (1, 0.0), None
    for i, j in cells:
        if all((c, j) in cells for c in range(i, i + width)):
            at = i + width / 2, j + 0.5
            room = (min(lines(i, j, 1), lines(i, j, -1)),
                    -math.dist(at, middle))
            if room[0] >= 1 and (best[1] is None or room > best[0]):
                best = room, at
    return best[1]


def name_regions(picture, grid, x, y, colours, size=13):
    """The name of each filter in the widest room of its region, or below the picture, beside its
    colour; grid[i][j] is the filter of a column and a line from below."""
    wide, tall = (x.end - x.start) / len(grid), (y.start - y.end) / len(grid[0])
    regions = {}
    for i, column in enumerate(grid):
        for j, name in enumerate(column):
            regions.setdefault(name, set()).add((i, j))
    small = []
    for name, cells in regions.items():
        best = widest_room(cells, math.ceil((text_width(name, size) + 8) / wide))
        if best:
            at = x.start + best[0] * wide, y.start - best[1] * tall + 4.5
            if name in (NO_FILTER, NOT_MEASURED):
                picture.text(*at, name, INK, size, "middle", bold=True, halo=name == NOT_MEASURED)
            else:
                picture.text(*at, name, "#fefefe" if luminance(colours[name]) < 0.3 else "#111",
                             size, "middle", bold=True, halo=False)
        elif name in colours and name != NO_FILTER:
            small.append(name)
    left = x.start
    for name in small:
        picture.add("rect", x=left, y=picture.height + 2, width=13.0, height=13.0,
                    **region(colours[name]))
        picture.label(left + 18, picture.height + 13, name, size=12, anchor="start")
        left += text_width(name, 12) + 34
    if small:
        picture.height += 20


def region(colour):
    """How a region looks. It keeps its colour on a dark page, but for that of no filter."""
    return {"fill": colour, "shape_rendering": "crispEdges",
            "class": "" if colour == PALE else "own"}


def lines_end(lines, row):
    """The largest size that the filter of a row was measured at."""
    return max(r["filter_bytes"] for (family, _), points in lines.items() for _, r in points
               if family == row["family"])


def skyline(about, rows, most_bits=None, heading="", width=WIDE, hover=True):
    """SVG, or nothing where there are not two sizes to draw between. Without `hover`, for a page
    that shows no titles, what has one colour is one path."""
    lines = series(about, rows, most_bits)
    drawn = [points for points in lines.values() if len(points) > 1]
    numbers = [n for points in drawn for n, _ in points]
    low, high = min(numbers, default=1), max(numbers, default=1)
    if not most_bits and numbers:  # numbers of keys that every space was measured around
        low = max(points[0][0] for points in drawn)
        high = min(points[-1][0] for points in drawn)
    if high < 4 * low:
        return ""
    colours = {s["name"]: s["colour"] or "#999999" for s in about["subjects"]}
    colours[NO_FILTER] = PALE
    height = 390
    x, y = Axis(low, high, 68, width - 8), Axis(LEAST_WORK, MOST_WORK, height - 44, 46)
    picture = Chart(width, height, "The filter of least time for n keys and work t_w", x, y)
    columns = columns_of(lines, x.low, x.high, 12 if most_bits else None)
    grid, paths = [], {}
    for left, right, n, steps in columns:
        ends = [work for work, _ in steps[1:]] + [MOST_WORK]
        column = []
        for (work, (name, t_l, f, row)), end in zip(steps, ends):
            if end <= work:
                continue
            title = f"{count(n)} keys, {time(work)} to {time(end)} spared: {name}"
            if name == NOT_MEASURED:
                title += (f"; {row['filter']} may leave the least time, and was measured up to "
                          f"{select.size(lines_end(lines, row))}")
            elif row:
                title += (f", {row['bits_per_key']:.3g} bits a key, {t_l:.2f} ns a lookup, "
                          f"FPR {select.percent(f)}")
            top, bottom = y.at(end), y.at(work)
            box = x.at(left), top, x.at(right) - x.at(left) + 0.4, bottom - top + 0.3
            if name == NOT_MEASURED:
                picture.hatch(*box, title if hover else "")
            elif hover:
                picture.add("rect", title, **dict(zip(("x", "y", "width", "height"), box)),
                            **region(colours[name]))
            else:
                colour = colours[name]
                paths[colour] = (paths.get(colour, "")
                                 + "M{0:.1f} {1:.1f}h{2:.1f}v{3:.1f}h-{2:.1f}z".format(*box))
        for j in range(LINES):
            work = LEAST_WORK * (MOST_WORK / LEAST_WORK) ** ((j + 0.5) / LINES)
            column.append(next(c[0] for at, c in reversed(steps) if at <= work))
        grid.append(column)
    if not any(name in colours and name != NO_FILTER for column in grid for name in column):
        return ""  # nothing but hatching
    for colour, way in paths.items():
        picture.add("path", d=way, **region(colour))
    for work, text in EXAMPLES.items():
        picture.line(x.start, y.at(work), x.end, y.at(work), "#fefefe", 1, "3 4")
        picture.text(x.end - 5, y.at(work) - 5, text, size=11, anchor="end")
    for level, bytes_ in about["levels"].items():
        n = bytes_ * 8 / 12
        if x.low < n < x.high:
            picture.line(x.at(n), y.start, x.at(n), y.end, "#fefefe", 1.2, "2 4")
            picture.label(x.at(n), y.end - 6, f"{level} full", size=11)
    name_regions(picture, grid, x, y, colours)
    for value in x.decades():
        picture.line(x.at(value), y.start, x.at(value), y.start + 5, AXIS)
        picture.label(x.at(value), y.start + 18, count(value), size=12)
    for value, text in WORK_NAMES.items():
        picture.line(x.start - 5, y.at(value), x.start, y.at(value), AXIS)
        picture.label(x.start - 8, y.at(value) + 4, text, size=12, anchor="end")
    picture.names("keys in the filter", "work that one \"not in\" spares")
    if heading:
        picture.text(8, 16, heading, size=14 if width > NARROW else 12, bold=True, halo=False)
    if any(NOT_MEASURED in column for column in grid):
        picture.hatch(width - 116, 5, 16, 13)
        picture.label(width - 8, 16, NOT_MEASURED, size=12, anchor="end")
    return picture.done()


def winners(about, rows):
    """For each nominal size the filters of the skyline from the least work on, and the filters that
    were measured at other sizes alone, for the Markdown."""
    sizes = select.nominal_sizes(rows)
    found = {level: select.near_12_bits(about, rows, level, *select.COMPARED) for level in sizes}
    families = {r["family"] for here in found.values() for r in here}
    body = []
    for level, here in found.items():
        steps = best_at([(NO_FILTER, 0.0, 1.0, None),
                         *((r["filter"], r["ns_per_key"], r["fpr"], r) for r in here)])
        said = [f"{name if row is None else f'`{name}`'}"
                + (f" from {time(work)}" if i else "")
                for i, (work, (name, _, _, row)) in enumerate(steps)]
        missing = families - {r["family"] for r in here}
        body.append([f"{select.size(sizes[level])} ({level})", ", ".join(said),
                     ", ".join(f"`{f}`" for f in sorted(missing)) or "-"])
    return body
