"""report.html from the Markdown of the sections and their pictures: one file, no script, nothing
from the network."""
import html
import re

from svg import night_style

NUMBER = re.compile(r"^[<>~]?-?[0-9][0-9.,]*( |$|x|%|\()")


def inline(text):
    """Escaped, with `code`, **bold** and [links](to) as elements."""
    text = html.escape(text, quote=False).replace(" %", "\u00a0%")
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)


def cells_of(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def table(lines):
    header, *body = [cells_of(line) for line in lines if not line.startswith("|---")]
    numeric = [all(NUMBER.match(c) or c in ("", "-") for c in column) and any(column)
               for column in zip(*body)] if body else []

    def row(cells, tag):
        classes = [" class=n" if 0 < i < len(numeric) and numeric[i] else
                   " class=w" if len(cell) > 30 else "" for i, cell in enumerate(cells)]
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
        elif line:
            out.append(f"<p>{inline(line)}</p>")
    return "\n".join(out)


def anchor(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def figure(wide, narrow="", caption=""):
    """A picture and its form for phones; or several that fit a phone, side by side where there is
    room."""
    if not wide:
        return ""
    if isinstance(wide, list):
        inner = f"<div class=several>{''.join(wide)}</div>"
    else:
        inner = f"<div class=wide>{wide}</div><div class=narrow>{narrow}</div>"
    caption = f"<figcaption>{inline(caption)}</figcaption>" if caption else ""
    return f"<figure>{inner}{caption}</figure>"


def folded(title, inner, paper=False):
    """What opens with a click; on paper it is open, or not there."""
    rows = inner.count("<tr>") - inner.count("<thead>")
    some = f" <small>{rows} {'rows' if rows > 1 else 'row'}</small>" if rows else ""
    return (f"<details{' class=paper' if paper else ''}><summary>{html.escape(title)}{some}"
            f"</summary>{inner}</details>")


def page(about, answer, sections, wrong, marked, beside=""):
    """answer: paragraphs; sections: [(title, HTML)]; beside: the page for browsers, if it lies
    beside this one."""
    machine = about["machine"]
    facts = [machine["cpu"], about["best_isa"], machine.get("clock", "").split(" (")[0],
             machine["date"], f"commit {machine['commit']}"]
    links = "".join(f'<a href="#{anchor(title)}">{html.escape(title)}</a>'
                    for title, _ in sections)
    asks = (f'<p>For another n, other bits or other work: <a href="{html.escape(beside)}">which '
            "filter?</a> It also asks saved filters.</p>\n" if beside else "")
    *said, terms = [inline(text) for text in answer]
    said = "".join(f"<p class=answer>{text}</p>" for text in said)
    body = "\n".join(f'<section id="{anchor(title)}"><h2>{html.escape(title)}</h2>{inner}</section>'
                     for title, inner in sections)
    if marked:
        said = f"<p class=wrong>{inline(marked)}</p>" + said
    if wrong:
        listed = "<br>".join(map(html.escape, wrong))
        said = f"<p class=wrong>Wrong, no times printed:<br>{listed}</p>" + said
    night = night_style([s["colour"] for s in about["subjects"] if s["colour"]])
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>simdbloom report</title><style>{STYLE}{night}</style></head>
<body><header><h1>simdbloom report</h1>
<p class=facts>{" · ".join(html.escape(f) for f in facts if f)}</p>
{said}<p class=facts>{terms}</p>
{asks}<nav>{links}</nav></header>
<main>{body}</main></body></html>
"""


STYLE = """
:root { --ink: #22252b; --soft: #596070; --line: #e4e6ea; --tint: #f6f7f9; --paper: #fff;
  --wrong: #a40000; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a9afba; --line: #363a43; --tint: #20242b; --paper: #16181d;
    --wrong: #ff8a80; }
}
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  color: var(--ink); background: var(--paper); max-width: 50rem; margin: 0 auto;
  padding: 1.2rem 1.25rem; }
h1 { font-size: 1.15rem; margin: 0; color: var(--soft); }
h2 { font-size: 1.3rem; margin: 2rem 0 .5rem; padding-top: .6rem;
  border-top: 1px solid var(--line); letter-spacing: -.01em; }
h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
p { margin: .4rem 0 .8rem; }
.answer { font-size: 1.15rem; line-height: 1.4; }
.facts, figcaption, small { color: var(--soft); font-size: .84rem; overflow-wrap: anywhere; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
a { color: inherit; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .84rem; }
figure { margin: .8rem 0; }
.several { display: grid; gap: 1.2rem 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); }
.narrow { display: none; }
svg { display: block; max-width: 100%; height: auto; }
svg path:hover, svg circle:hover { stroke-width: 3; }
svg rect[class=own]:hover { opacity: .8; }
details { border-bottom: 1px solid var(--line); }
summary { cursor: pointer; padding: .5rem 0; }
.box { overflow-x: auto; margin: .5rem 0 1rem; }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .28rem .75rem; text-align: left;
  vertical-align: top; }
td { white-space: nowrap; }
td:first-child, th:first-child { padding-left: .3rem; position: sticky; left: 0;
  background: var(--paper); }
th { border-bottom: 2px solid var(--soft); vertical-align: bottom; font-weight: 600;
  max-width: 9rem; }
.n { text-align: right; }
td.w { white-space: normal; min-width: 10rem; }
tbody tr:hover td { background: var(--tint); }
table.facts td + td { white-space: normal; overflow-wrap: anywhere; }
.wrong { color: var(--wrong); font-weight: 600; }
@media screen and (max-width: 48rem) {
  body { padding: .8rem; font-size: 16px; }
  h2 { margin-top: 1.4rem; }
  td:first-child { white-space: normal; }
  .wide { display: none; }
  .narrow { display: block; }
  .narrow svg, .several svg { width: 100%; max-width: 30rem; }
}
@media print {
  @page { size: A4; margin: 12mm; }
  body { font-size: 9.5pt; max-width: none; padding: 0; }
  h2 { margin-top: 1rem; }
  .answer { font-size: 1.1em; }
  nav, details:not(.paper) { display: none; }
  details::details-content { content-visibility: visible; height: auto; }
  summary { list-style: none; font-weight: 600; }
  .box { overflow: visible; }
  table { font-size: 7.5pt; width: 100%; }
  th, td { padding: .1rem .3rem; position: static !important; }
  td.w { min-width: 0; }
  table.facts td { border: 0; padding-top: 0; padding-bottom: 0; }
  thead { display: table-header-group; }
  .several { grid-template-columns: 1fr 1fr; }
  tr, svg, .wide { break-inside: avoid; }
  h2, h3, summary { break-after: avoid; }
  figcaption { break-before: avoid; }
  svg { width: 100%; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
