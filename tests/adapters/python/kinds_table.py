"""The table of src/core/filters/kinds.md, which is the rule that all front ends follow."""

import os
import re

PAGE = os.path.join(os.path.dirname(__file__), "../../../src/core/filters/kinds.md")


def kinds_table():
    """{kind of a filter: the kinds of questions that it answers, its own among them}"""
    with open(PAGE, encoding="utf-8") as page:
        rows = [line.split("|")[1:4] for line in page if line.startswith("| `")]
    return {re.findall("`(.*?)`", kind)[0]: set(re.findall("`(.*?)`", kind + answers))
            for kind, _, answers in rows}
