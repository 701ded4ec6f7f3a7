"""report.html from the Markdown of the sections and their pictures: one file, no script, nothing
from the network."""
import html
import re

NUMBER = re.compile(r"^[<>~]?-?[0-9][0-9.,]*( |$|x|%|\()")


def inline(text):
    """Escaped, with `code` and [links](to) as elements."""
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)


def cells_of(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def table(lines):
    header, *body = [cells_of(line) for line in lines if not line.startswith("|---")]
    numeric = [all(NUMBER.match(c) or c in ("", "-") for c in column) and any(column)
               for column in zip(*body)] if body else []

    def row(cells, tag):
        classes = [" class=n" if 0 < i < len(numeric) and numeric[i] else
                   " class=w" if len(cell) > 60 else "" for i, cell in enumerate(cells)]
        return "<tr>" + "".join(f"<{tag}{c}>{inline(cell)}</{tag}>"
                                for c, cell in zip(classes, cells)) + "</tr>"

    head = f"<thead>{row(header, 'th')}</thead>" if any(header) else ""
    kind = "" if head else " class=facts"
    return (f"<div class=box><table{kind}>{head}<tbody>"
            + "\n".join(row(cells, "td") for cells in body) + "</tbody></table></div>")


def to_html(text):
    out, lines = [], []
    for line in text.split("\n") + [""]:
        if line.startswith("|"):
            lines.append(line)
            continue
        if lines:
            out.append(table(lines))
            lines = []
        if line.startswith("### "):
            out.append(f"<h3>{inline(line[4:])}</h3>")
        elif line.startswith("Measured on "):
            out.append(f"<p class=source>{inline(line)}</p>")
        elif line:
            out.append(f"<p>{inline(line)}</p>")
    return "\n".join(out)


def anchor(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def figure(drawn, caption=""):
    """Pictures side by side where there is room, each in a box that scrolls on a phone."""
    pictures = "".join(f"<div class=picture>{p}</svg></div>" for p in drawn.split("</svg>")
                       if p.strip())
    kind = "figure" if drawn.count("</svg>") == 1 else "figure class=several"
    caption = f"<figcaption>{inline(caption)}</figcaption>" if caption else ""
    return f"<{kind}>{pictures}{caption}</figure>" if pictures else ""


def page(about, sections, intro, wrong, marked, beside=""):
    """sections: [(title, HTML)]; beside: the page for browsers, if it lies beside this one."""
    machine = about["machine"]
    facts = [machine["cpu"], about["best_isa"], machine.get("clock", "").split(" (")[0],
             machine["date"], f"commit {machine['commit']}"]
    links = "".join(f'<a href="#{anchor(title)}">{html.escape(title)}</a>'
                    for title, _ in sections)
    asks = (f'<p>For another n, other bits or other work: <a href="{html.escape(beside)}">which '
            "filter?</a> It also asks saved filters.</p>\n" if beside else "")
    body = "\n".join(f'<section id="{anchor(title)}"><h2>{html.escape(title)}</h2>{inner}</section>'
                     for title, inner in sections)
    if marked:
        body = f"<p class=wrong>{inline(marked)}</p>" + body
    if wrong:
        said = "<br>".join(map(html.escape, wrong))
        body = f"<p class=wrong>Wrong, no times printed:<br>{said}</p>" + body
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>simdbloom report</title><style>{STYLE}</style></head>
<body><header><h1>simdbloom report</h1>
<p class=facts>{" · ".join(html.escape(f) for f in facts if f)}</p><p>{inline(intro)}</p>
{asks}<nav>{links}</nav></header>
<main>{body}</main></body></html>
"""


STYLE = """
:root { --ink: #22252b; --soft: #667; --line: #e4e6ea; --tint: #f6f7f9; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  color: var(--ink); background: #fff; max-width: 66rem; margin: 0 auto; padding: 1.5rem 1.25rem; }
h1 { font-size: 1.9rem; margin: 0; letter-spacing: -.02em; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .5rem; padding-top: .6rem;
  border-top: 1px solid var(--line); letter-spacing: -.01em; }
h3 { font-size: 1rem; margin: 1.5rem 0 .4rem; }
p { max-width: 46rem; margin: .4rem 0 .8rem; }
p.facts, .source, figcaption { color: var(--soft); }
.source, figcaption { font-size: .8rem; max-width: none; overflow-wrap: anywhere; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
nav { display: flex; flex-wrap: wrap; gap: .35rem .5rem; margin: 1rem 0; }
nav a { color: var(--ink); background: var(--tint); border: 1px solid var(--line);
  border-radius: 1rem; padding: .1rem .7rem; font-size: .82rem; text-decoration: none; }
nav a:hover { border-color: var(--soft); }
figure { margin: 1rem 0; }
figure.several { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(23rem, 100%), 1fr)); }
figure.several figcaption { grid-column: 1 / -1; }
.picture { overflow-x: auto; }
svg { display: block; max-width: 100%; height: auto; }
svg path:hover, svg circle:hover { stroke-width: 3; }
svg rect[shape-rendering]:hover { opacity: .8; }
.box { overflow-x: auto; margin: .5rem 0 1rem; }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .28rem .75rem; text-align: left;
  vertical-align: top; }
td { white-space: nowrap; }
td:first-child, th:first-child { padding-left: .3rem; position: sticky; left: 0;
  background: #fff; }
th { border-bottom: 2px solid #9aa; vertical-align: bottom; font-weight: 600; max-width: 9rem; }
.n { text-align: right; }
td.w { white-space: normal; min-width: 24rem; }
tbody tr:hover td { background: var(--tint); }
table.facts td { white-space: normal; overflow-wrap: anywhere; }
table.facts td:first-child { color: var(--soft); white-space: nowrap; }
.wrong { color: #a40000; font-weight: 600; }
@media (max-width: 40rem) {
  body { padding: 1rem .8rem; font-size: 16px; }
  figure:not(.several) svg { max-width: none; width: 44rem; }
  table.facts td:first-child { white-space: normal; }
}
@media print {
  @page { margin: 14mm; }
  body { font-size: 10pt; max-width: none; padding: 0; }
  nav { display: none; }
  .box, .picture { overflow: visible; }
  table { font-size: 7.5pt; width: 100%; }
  th, td { padding: .12rem .3rem; position: static !important; }
  td { white-space: normal; }
  thead { display: table-header-group; }
  figure.several { grid-template-columns: 1fr 1fr; }
  td.n { white-space: nowrap; }
  tr, figure, .picture, h2 + p { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  svg { width: 100%; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
