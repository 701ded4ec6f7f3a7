"""Numbers of the newest record in the text of papers/companion, each between `<!--key:KEY-->` and
`<!--/-->`. A key is PAPER/CLAIM, which is our value; `published`, `source` or `case` and
PAPER/CLAIM; or `count` and a name of counts()."""
import re

import records
import table
from claim_files import ROOT

from markers import write_whole  # noqa: E402

KEYED = re.compile(r"<!--key:([^<>]+)-->.*?<!--/-->", re.S)
# What a reader takes for a measured or computed number.
NUMBER = re.compile(r"\d[\d,]*\.\d+|\d[\d.,]* ?%|\d[\d.,]*e-?\d+|\d[\d,.]* (?:times|claims)")


def counts(record):
    untimed = [e for e in record["claims"] if e["samples"] and not e["around"]]
    whole = [e for e in untimed if {"hits", "text"} & set(e["samples"][0])]
    return {"untimed": len(untimed), "samples": sum(len(e["samples"]) for e in untimed),
            "whole": len(whole), "real": len(untimed) - len(whole)}


def of_key(key, record, claims):
    what, _, name = key.rpartition(" ")
    entry = records.by_id(record).get(name)
    claim = {c.id: c for c in claims}.get(name)
    if what == "count" and name in counts(record):
        return f"{counts(record)[name]:,}"
    if claim and what in ("published", "source", "case"):
        return {"published": table.within(claim), "source": claim.source,
                "case": claim.statement.rpartition(": ")[2]}[what]
    if what or entry is None:
        raise ValueError(f"the newest record and papers/claims have no \"{key}\"")
    if entry["kind"] == "identity":
        return entry["note"]
    return table.ours(entry) + (f" {claim.unit}" if claim.unit else "")


def filled(text, record, claims):
    """The page with the numbers of the record."""
    return KEYED.sub(lambda m: (f"<!--key:{m[1]}-->{of_key(m[1], record, claims)}"
                                "<!--/-->"), text)


def without_key(text):
    """Numbers that no key stands before. Code and places of links may have numbers."""
    text = KEYED.sub("", text)
    return NUMBER.findall(re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|<!--.*?-->", "", text, flags=re.S))


def pages():
    """(path, text)"""
    for path in sorted(ROOT.glob("papers/companion/*.md")):
        yield path, path.read_text(encoding="utf-8")


def fill(record, claims):
    for path, text in pages():
        write_whole(path, filled(text, record, claims))
