"""Pictures as SVG text: charts with axes, curves, points and names. A reader of the
page needs no script and no network; what the mouse rests on says its values (<title>)."""
import html
import math

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
INK, GREY, AXIS, PALE, PAPER = "#22252b", "#667", "#99a", "#e4e6ea", "#fff"
# What these become where the reader's screen is dark.
NIGHT = {INK: "#e8eaee", GREY: "#a9afba", AXIS: "#727986", PALE: "#363a43", PAPER: "#16181d"}
WIDE, NARROW = 760, 334  # px: a picture on paper and on a screen, and on a phone
# A marker and a dash pattern for each series: told apart in print and by colour-blind readers.
MARKERS = "circle square diamond up down cross plus".split()
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2")


class Axis:
    """Data from low to high, pixels from start to end, on a logarithmic scale or a linear one."""

    def __init__(self, low, high, start, end, log=True):
        self.low, self.high, self.start, self.end, self.log = low, high, start, end, log

    def at(self, value):
        if self.log:
            share = (math.log10(value) - math.log10(self.low)) / (
                math.log10(self.high) - math.log10(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def decades(self, steps=(1,)):
        """The values step * 10^i on the axis."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        return [step * 10.0 ** i for i in range(first, last + 1) for step in steps
                if self.low * 0.999 <= step * 10.0 ** i <= self.high * 1.001]

    def steps(self, most=7):
        """1 to 9 of each decade; 1, 2, 5 where these are too many, or the decades alone."""
        fine = self.decades(range(1, 10)), self.decades((1, 2, 5)), self.decades()
        return next((ticks for ticks in fine if len(ticks) <= most), fine[-1])


def luminance(colour):
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def readable(colour):
    """The colour, made dark enough for text on white (contrast 4.5 : 1)."""
    channels = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    while luminance(colour) > 0.18:
        channels = [int(c * 0.93) for c in channels]
        colour = "#" + "".join(f"{c:02x}" for c in channels)
    return colour


def visible(colour):
    """The colour, made light enough for a dark page."""
    channels = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    while luminance(colour) < 0.24:
        channels = [math.ceil(c + 0.1 * (255 - c)) for c in channels]
        colour = "#" + "".join(f"{c:02x}" for c in channels)
    return colour


def night_style(colours):
    """CSS that draws pictures of these colours on a dark screen; class "own" keeps its colour."""
    pairs = {c: visible(c) for colour in colours for c in (colour, readable(colour))} | NIGHT
    rules = "".join(f'svg [{of}="{day}"]:not(.own){{{of}:{night}}}'
                    for day, night in pairs.items() if day != night for of in ("fill", "stroke"))
    return f"@media screen and (prefers-color-scheme: dark){{{rules}}}"


def text_width(text, size=12):
    return 0.57 * size * len(text)


def spread_out(positions, gap, low, high):
    """Positions at least `gap` apart and not far from those wanted, in their order."""
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    placed = list(positions)
    for i in order:
        placed[i] = max(placed[i], low)
        low = placed[i] + gap
    for i in reversed(order):
        placed[i] = min(placed[i], high)
        high = placed[i] - gap
    return placed


class Picture:
    def __init__(self, width, height, about):
        self.width, self.height = width, height
        self.parts = [f"<title>{html.escape(about)}</title>",
                      f'<rect width="100%" height="100%" fill="{PAPER}"/>']

    def add(self, tag, title="", inner="", **attributes):
        words = "".join(f' {name.replace("_", "-")}="{value:.1f}"' if isinstance(value, float)
                        else f' {name.replace("_", "-")}="{value}"'
                        for name, value in attributes.items() if value != "")
        inner += f"<title>{html.escape(title)}</title>" if title else ""
        self.parts.append(f"<{tag}{words}>{inner}</{tag}>" if inner else f"<{tag}{words}/>")

    def line(self, x1, y1, x2, y2, colour=PALE, width=1, dash=""):
        self.add("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), stroke=colour,
                 stroke_width=width, stroke_dasharray=dash)

    def path(self, points, colour, width=1.6, dash=""):
        way = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.add("path", d=way, fill="none", stroke=colour, stroke_width=width,
                 stroke_dasharray=dash, stroke_linejoin="round")

    def text(self, x, y, text, colour=INK, size=12, anchor="start", turned=False, bold=False,
             halo=True):
        behind = {"stroke": PAPER, "stroke_width": 3, "paint_order": "stroke",
                  "stroke_linejoin": "round"} if halo else {}
        self.add("text", inner=html.escape(text), x=float(x), y=float(y), fill=colour,
                 font_size=size, text_anchor="" if anchor == "start" else anchor,
                 font_weight=600 if bold else "",
                 transform=f"rotate(-90 {x:.1f} {y:.1f})" if turned else "", **behind)

    def marker(self, shape, x, y, colour, title="", r=4.2):
        look = {"fill": colour, "stroke": PAPER, "stroke_width": 1}
        if shape == "circle":
            self.add("circle", title, cx=float(x), cy=float(y), r=r, **look)
            return
        if shape in ("cross", "plus"):
            d = 0.8 * r
            way = (f"M{x - d:.1f} {y - d:.1f}L{x + d:.1f} {y + d:.1f}"
                   f"M{x - d:.1f} {y + d:.1f}L{x + d:.1f} {y - d:.1f}" if shape == "cross" else
                   f"M{x - r:.1f} {y:.1f}H{x + r:.1f}M{x:.1f} {y - r:.1f}V{y + r:.1f}")
            self.add("path", title, d=way, stroke=colour, stroke_width=2.4, fill="none")
            return
        corners = {"square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
                   "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
                   "up": ((0, -1.2), (1.15, 0.9), (-1.15, 0.9)),
                   "down": ((0, 1.2), (1.15, -0.9), (-1.15, -0.9))}[shape]
        way = "M" + "L".join(f"{x + r * dx:.1f} {y + r * dy:.1f}" for dx, dy in corners) + "Z"
        self.add("path", title, d=way, **look)

    def hatch(self, x, y, width, height, title="", step=7):
        """What was not measured. The lines of boxes side by side meet."""
        self.add("rect", title, x=float(x), y=float(y), width=float(width), height=float(height),
                 fill=PAPER)
        way = ""
        for i in range(math.ceil((x + y) / step), math.floor((x + y + width + height) / step) + 1):
            low, high = max(x, i * step - y - height), min(x + width, i * step - y)
            way += f"M{low:.1f} {i * step - low:.1f}L{high:.1f} {i * step - high:.1f}"
        self.add("path", d=way, stroke=AXIS, stroke_width=1.2, fill="none", pointer_events="none")

    def label(self, x, y, text, colour=GREY, size=10, anchor="middle", bold=False):
        """Text that covers nothing."""
        self.text(x, y, text, colour, size, anchor, bold=bold, halo=False)

    def names_beside(self, points, size=11, left=0, right=float("inf"), low=0,
                     high=float("inf")):
        """A name beside each point, [(x, y, name, colour)], where it hides neither a point nor a
        name, within a box."""
        taken = [(px - 5, py - 5, px + 5, py + 5) for px, py, *_ in points]
        for px, py, name, colour in sorted(points):
            wide = text_width(name, size)
            boxes = [(px + dx, py + dy - size, px + dx + wide, py + dy + 2)
                     for dx, dy in ((8, 4), (-wide - 8, 4), (8, -7), (8, 15), (-wide - 8, -7),
                                    (-wide - 8, 15), (-wide / 2, -10), (-wide / 2, 20), (8, 28),
                                    (8, -20), (-wide - 8, 28), (-wide - 8, -20), (8, 42),
                                    (8, -34), (-wide - 8, 42), (-wide - 8, -34))]

            def hidden(box):
                return sum(max(0, min(box[2], t[2]) - max(box[0], t[0]))
                           * max(0, min(box[3], t[3]) - max(box[1], t[1])) for t in taken)

            box = min((b for b in boxes if left < b[0] and b[2] < right and low < b[1]
                       and b[3] < high), key=hidden, default=None)
            if box:
                taken.append(box)
                self.text(box[0], box[3] - 2, name, readable(colour), size)

    def names_at_ends(self, ends, low, high, gap=14, size=12):
        """Names right of the ends of lines, [(x, y, name, colour)]: pushed apart, with a thin line
        to the end where a name had to move. Names of ends that lie near each other share a
        column. A name without room is cut."""
        columns = []
        for end in sorted(ends):
            if columns and end[0] - columns[-1][0][0] < 60:
                columns[-1].append(end)
            else:
                columns.append([end])
        for column in columns:
            left = max(x for x, *_ in column) + 20
            placed = spread_out([y for _, y, *_ in column], gap, low, high)
            for (x, y, name, colour), at in zip(column, placed):
                self.path([(x + 6, y), (left - 3, at)], colour, 0.8)
                room = int((self.width - left) / text_width("x", size))
                name = name if len(name) <= room else name[:room - 1] + "…"
                self.text(left, at + 4, name, readable(colour), size)

    def done(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" role="img" font-family="{FONT}">'
                + "\n".join(self.parts) + "</svg>\n")


class Chart(Picture):
    """A picture with two axes, drawn on in the units of the data. The names of curves stand right
    of their ends."""

    def __init__(self, width, height, about, x, y):
        super().__init__(width, height, about)
        self.x, self.y, self.ends = x, y, []

    def at(self, point):
        return self.x.at(point[0]), self.y.at(point[1])

    def frame(self, x_ticks, y_ticks, x_name, y_name):
        """Grid, ticks as [(value, text)] and the names of the axes."""
        x, y = self.x, self.y
        for value, text in x_ticks:
            self.line(x.at(value), y.start, x.at(value), y.end)
            self.label(x.at(value), y.start + 17, text, size=12)
        for value, text in y_ticks:
            self.line(x.start, y.at(value), x.end, y.at(value))
            self.label(x.start - 7, y.at(value) + 4, text, size=12, anchor="end")
        self.line(x.start, y.start, x.end, y.start, AXIS)
        self.names(x_name, y_name)

    def names(self, x_name, y_name):
        """Of the axes."""
        x, y = self.x, self.y
        self.label((x.start + x.end) / 2, y.start + 37, x_name, INK, 12)
        self.text(14, (y.start + y.end) / 2, y_name, INK, anchor="middle", turned=True, halo=False)

    def curve(self, points, colour, name="", width=1.6, dash=""):
        at = [self.at(p) for p in points]
        self.path(at, colour, width, dash)
        if name:
            self.ends.append((*at[-1], name, colour))

    def point(self, shape, point, colour, title="", r=4.2, interval=None):
        """With an interval in y, if there is one."""
        x, y = self.at(point)
        if interval:
            self.line(x, self.y.at(interval[0]), x, self.y.at(interval[1]), colour, 1)
        self.marker(shape, x, y, colour, title, r)

    def done(self):
        self.names_at_ends(self.ends, self.y.end + 4, self.y.start - 4)
        return super().done()
