"""Tables in Markdown, and their cells: what a row of results.csv says, or two of them."""
from rows import percent

MISSING = "not measured"


def markdown_table(header, body):
    lines = ["| " + " | ".join(cells) + " |" for cells in (header, *body)]
    lines.insert(1, "|" + "---|" * len(header))
    return "\n".join(lines)


def cell(text, *rows):
    """text(*rows), unless one of the rows is missing."""
    return MISSING if any(r is None for r in rows) else text(*rows)


def name(row, family):
    return f"`{row['filter'] if row else family}`"


def bits(row):
    return cell(lambda r: f"{r['bits_per_key']:.2f}", row)


def fpr(row):
    return cell(lambda r: percent(r["fpr"]), row)


def model(row):
    return cell(lambda r: percent(r["fpr_model"]), row)


def interval(row):
    return cell(lambda r: f"{percent(r['fpr_low'])} - {percent(r['fpr_high'])}", row)


def ns(row):
    return cell(lambda r: f"{r['ns_per_key']:.2f}", row)


def time_and_ratio(row, unit=""):
    """The time, and how many times that of `touch` it is."""
    return ns(row) + (f" ({row['touch_ratio']:.2f}{unit})" if row and row["touch_ratio"] else "")
