"""Curves: the space frontier, double hashing, break-even in joins."""
import math
import re

from svg import GREY, INK, Axis, Picture, power, readable, spread_out, text_width

# Colour, dashes and marker of each structure: told apart in print and by colour-blind readers.
STYLES = {"classic": ("#555b66", "", "plus"), "blocked512": ("#cc79a7", "", "square"),
          "sector512": ("#d55e00", "7 3", "diamond"), "zoned512": ("#b5622c", "2 3", "up"),
          "split256": ("#e69f00", "", "circle"), "register64": ("#56b4e9", "", "down"),
          "register32": ("#2a80b9", "7 3", "cross"), "cuckoo": ("#009e73", "", "diamond"),
          "fuse": ("#243a8c", "", "up"), "fuse:d=4": ("#243a8c", "2 3", "square")}
GUIDE = "#5b6270"  # lines that are no structure


def style(name):
    return next(look for start, look in sorted(STYLES.items(), reverse=True)
                if name.startswith(start))


def joined(curves):
    """The three cuckoo filters as one curve."""
    out = {}
    for name, points in curves.items():
        out.setdefault("cuckoo" if name.startswith("cuckoo") else name, []).extend(points)
    return out


def percent(rate):
    return f"{100 * rate:g} %"


def rate_entries(entries):
    """(bits a key, FPR, spec) that the record measured."""
    for entry in entries.values():
        setup = entry["setup"]
        if entry["probe"] == "fpr" and "of_strangers" not in setup and entry["ours"]:
            yield float(setup["bits_per_key"]), entry["ours"], setup["spec"]


def place(taken, at, wide):
    """Where a name of 10 points goes: beside its point, if it can, over no other name or point."""
    x, y = at
    spots = [(x + dx, y + dy) for dx, dy in
             ((8, 4), (-8 - wide, 4), (8, 16), (-8 - wide, -8), (8, -8), (-8 - wide, 16),
              (-wide / 2, -10), (-wide / 2, 20), (8, 28), (-8 - wide, 28), (8, -20))]

    def hidden(spot):
        return sum(max(0, min(spot[0] + wide, right) - max(spot[0], left))
                   * max(0, min(spot[1] + 2, bottom) - max(spot[1] - 9, top))
                   for left, top, right, bottom in taken)

    best = min(spots, key=hidden)
    taken.append((best[0], best[1] - 9, best[0] + wide, best[1] + 2))
    return best


def up_to(points, most):
    """The points of a curve that rises, up to y = most, where it is cut."""
    kept = [p for p in points if p[1] <= most]
    beyond = points[len(kept):][:1]
    if kept and beyond:
        (x0, y0), (x1, y1) = kept[-1], beyond[0]
        kept.append((x0 + (x1 - x0) * (most - y0) / (y1 - y0), most))
    return kept


def names_above(picture, ends, top, gap=78):
    """Names of lines that leave through the top, side by side, each with a line to its end."""
    for (x, name, colour), at in zip(sorted(ends), spread_out([x for x, *_ in sorted(ends)], gap, 0,
                                                              picture.width - gap)):
        picture.path([(x, top - 2), (at, top - 13)], colour, 0.8)
        picture.text(at, top - 17, name, readable(colour), 11, "middle", halo=False)


def space(curves, published, entries, width=900, height=660):
    picture = Picture(width, height, "Bits a key against the FPR")
    picture.text(8, 20, "Space for an FPR, a million keys", size=15, bold=True, halo=False)
    x, y = Axis(2, 17.01, 58, width - 110, log=False), Axis(2, 26, height - 68, 70, log=False)
    picture.frame(x, y, [(b, power(2, -b)) for b in range(2, 18, 2)],
                  [(b, str(b)) for b in range(4, 27, 4)], "", "bits a key")
    for rate in (0.1, 1e-2, 1e-3, 1e-4, 1e-5):
        at = x.at(-math.log2(rate))
        picture.line(at, y.start, at, y.start + 24, "#99a")
        picture.text(at, y.start + 36, percent(rate), GREY, 11, "middle", halo=False)
    picture.text((x.start + x.end) / 2, y.start + 56, "FPR", anchor="middle", halo=False)
    bound = [(x.at(b), y.at(b)) for b in (2, 17)]
    picture.path(bound, GUIDE, 1.4, "1 3")
    ends, above, taken = [(*bound[-1], "lower bound", GUIDE)], [], []
    for name, points in joined(curves).items():
        colour, dash, marker = style(name)
        seen = [(-math.log2(f), bits) for bits, f, *_ in points]
        line = [(x.at(b), y.at(bits)) for b, bits in up_to(seen, y.high) if 2 <= b <= x.high]
        picture.path(line, colour, 1.7, dash)
        if max(bits for _, bits in seen) > y.high and line[-1][1] < y.end + 1:
            above.append((line[-1][0], name, colour))
        else:
            ends.append((*line[-1], name, colour))
        if name == "cuckoo":
            ends.pop()
            for at in line:
                picture.marker(marker, *at, colour, name, 3.4)
            (x0, y0), (x1, y1) = line[1:]
            picture.text((x0 + x1) / 2 + 10, (y0 + y1) / 2 + 16, name, readable(colour))
    for bits, rate, spec in rate_entries(entries):
        if 2 <= -math.log2(rate) <= 17 and bits <= y.high:
            at = x.at(-math.log2(rate)), y.at(bits)
            picture.add("circle", f"{spec}, {bits:.3g} bits a key: measured {percent(rate)}",
                        cx=at[0], cy=at[1], r=3.4, fill=style(spec)[0], stroke="#fff",
                        stroke_width=0.8)
    places = [(x.at(-math.log2(rate)), y.at(bits)) for bits, rate, _ in published]
    taken += [(px - 6, py - 6, px + 6, py + 6) for px, py in places]
    for at, (bits, rate, name) in zip(places, published):
        picture.add("circle", f"{name}: {bits:g} bits a key, {percent(rate)}", cx=at[0], cy=at[1],
                    r=4.6, fill="none", stroke=INK, stroke_width=1.2)
        picture.text(*place(taken, at, text_width(name, 10)), name, INK, 10)
    picture.names_at_ends(ends, y.end + 4, y.start - 4, 14, 12)
    names_above(picture, above, y.end)
    for line, text in enumerate(("lines: exact models", "filled: measured, in the record",
                                 "hollow: fastfilter_cpp's table, 2018")):
        picture.text(x.end - 12, y.start - 50 + 16 * line, text, GREY, 11, "end")
    return picture.done()


def double_hashing(entry, width=640, height=430):
    """The excess of the FPR over that of ideal functions, with its first term 2 k n / m^2."""
    k, c = float(entry["setup"]["k"]), float(entry["setup"]["bits_per_key"])
    points = [(s["x"], s["y"]) for s in entry["samples"]]
    picture = Picture(width, height, "The excess of double hashing over the number of keys")
    picture.text(8, 20, f"What double hashing adds to the FPR: {c:g} bits a key, k = {k:g}",
                 size=15, bold=True, halo=False)
    low, high = min(n for n, _ in points) / 1.3, max(n for n, _ in points) * 1.3
    x = Axis(low, high, 78, width - 160)
    first = [(n, 2 * k / c / c / n) for n in (low, high)]
    y = Axis(min([e for _, e in points] + [first[1][1]]) / 1.4,
             max([e for _, e in points] + [first[0][1]]) * 1.4, height - 52, 44)
    picture.frame(x, y, [(n, f"{n:g}") for n, _ in points],
                  [(e, percent(e)) for e in y.decades((1, 2, 5))], "keys",
                  "measured less ideal FPR")
    line = [(x.at(n), y.at(e)) for n, e in first]
    picture.path(line, "#d55e00", 1.8, "7 3")
    for n, e in points:
        picture.marker("circle", x.at(n), y.at(e), "#0072b2", f"{n:g} keys: {percent(e)}", 5)
    fitted = f"slope {entry['ours']:.3f} ({entry['low']:.3f} to {entry['high']:.3f})"
    picture.names_at_ends([(*line[1], "2kn/m², slope -1", "#d55e00")], y.end, y.start, 14, 12)
    picture.text(x.start + 14, y.start - 16, f"measured: {fitted}", readable("#0072b2"), 12)
    return picture.done()


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def number(text):
    found = re.search(r"[\d.]+", text)
    return float(found[0]) if found else None


def join_tables(printed):
    """For each table its name, the shares that join, and for each filter its times; beside these
    t_l, f, and the share up to which it pays."""
    for part in printed.split("### Table in ")[1:]:
        lines = [line for line in part.splitlines() if line.startswith("|")]
        head = cells(lines[0])
        shares = [i for i, name in enumerate(head) if re.fullmatch(r"[\d.]+ %", name)]
        rows = {}
        for line in lines[2:]:
            row = cells(line)
            if len(row) != len(head) or row[0] == "filter":
                break
            rows[row[0].strip("`")] = row
        none = rows["no filter"]
        yield {"name": part.split(":")[0], "shares": [number(head[i]) / 100 for i in shares],
               "none": [number(none[i]) for i in shares], "t_w": number(none[-1].split("=")[1]),
               "filters": {name: {"ns": [number(row[i]) for i in shares], "t_l": number(row[-3]),
                                  "f": number(row[-2]) / 100, "pays": number(row[-4]) / 100}
                           for name, row in rows.items() if row[-4] and row[-3]}}


def joins(printed, width=800, height=470):
    """The share of joining rows up to which a filter pays, against what its lookup costs."""
    picture = Picture(width, height, "Break-even of filters before a hash join")
    picture.text(8, 20, "The share of rows that may join before a filter costs more than it saves",
                 size=15, bold=True, halo=False)
    x, y = Axis(0, 0.4, 66, 520, log=False), Axis(0, 1, height - 52, 44, log=False)
    picture.frame(x, y, [(v / 10, f"{v / 10:g}") for v in range(5)],
                  [(v / 5, f"{20 * v} %") for v in range(6)], "t_l / ((1 - f) t_w)",
                  "rows that join at break-even")
    line = [(x.at(v), y.at(1 - v)) for v in (0, 0.4)]
    picture.path(line, GUIDE, 1.6, "7 3")
    picture.names_at_ends([(*line[1], "predicted: 1 - x", GUIDE)], y.end, y.start, 14, 12)
    markers = dict(zip(("L2", "L3", "DRAM"), ("circle", "square", "up")))
    key = 0
    for table in join_tables(printed):
        marker = markers.get(table["name"], "diamond")
        picture.marker(marker, 660, 64 + 20 * key, INK, r=4.5)
        picture.text(672, 68 + 20 * key, f"hash table in {table['name']}", size=12, halo=False)
        key += 1
        for name, of in table["filters"].items():
            at = of["t_l"] / ((1 - of["f"]) * table["t_w"])
            picture.marker(marker, x.at(min(at, 0.4)), y.at(of["pays"]), style(name)[0],
                           f"{name}, table in {table['name']}: pays up to {100 * of['pays']:g} %, "
                           f"predicted {100 * (1 - at):.3g} %", 5)
    names = dict.fromkeys(name for table in join_tables(printed) for name in table["filters"])
    for i, name in enumerate(names):
        top = 140 + 20 * i
        picture.add("rect", x=654.0, y=top - 6.0, width=12.0, height=12.0, fill=style(name)[0])
        picture.text(672, top + 4, name, size=12, halo=False)
    return picture.done()
