"""The claims: papers/claims/PAPER.toml describes the paper and has a [[claim]] for each."""
import re
import sys
from collections import Counter
from dataclasses import dataclass, field

from tolerances import OF_CLAIMS, ROOT, tomllib
from verdicts import NEAR, NOT_REPRODUCED, POSSIBLE, REPRODUCED, RULES, STATISTICAL

FOLDER = ROOT / "papers/claims"
# How a figure is known: read in the paper or its data, code or page; in its abstract; in a text
# about the paper; worked out by this project.
HOW = ("read", "abstract", "secondary", "ours")
# Probes that compare formulas and exact models, rather than filters and published figures.
ARITHMETIC = {"formula", "least_ratio", "space", "published_fprs", "folded", "enumerated"}
# The tallies, which are never added. What is known by a secondary source counts in none.
TALLIES = {"published": "published figures, measured here",
           "formulas": "formulas against exact numbers",
           "promises": "promises and figures of this project",
           "secondary": "figures of secondary sources"}
# What some machines have and others lack, beside ISAs.
OF_MACHINES = re.compile(r"clock|\d+ GiB")
# What names a source: a DOI or its page, an arXiv number, a commit or pull request of a repository.
NAMED = re.compile(r"doi[:/]\d|arXiv:\d|github\.com/.*(commit [0-9a-f]{7}|/pull/\d)")
# The most seconds that one claim may take.
DEPTHS = {"quick": 4, "standard": 60, "full": float("inf")}


@dataclass
class Claim:
    id: str
    statement: str
    how: str
    where: str
    kind: str
    published: str
    probe: str
    expected: list = field(default_factory=lambda: [REPRODUCED])
    seconds: float = 0.1
    setup: dict = field(default_factory=dict)
    unit: str = ""
    tolerance: float | None = None
    side: str = ""
    needs: list = field(default_factory=list)
    reason: str = ""

    @property
    def paper(self):
        return self.id.split("/")[0]

    @property
    def name(self):
        return self.id.split("/")[1]

    @property
    def rule(self):
        """What decides about samples, beside papers/data/tolerances.toml."""
        return [self.kind, self.side, self.published]

    @property
    def tolerance_text(self):
        if self.kind == "statistical":
            return f"{100 * (self.tolerance or STATISTICAL):.3g} %"
        return {"identity": "equal", "exact": "the printed digits", "bound": f"at {self.side}",
                "ratio": f"a factor {NEAR}", "order": "the order",
                "location": "the range" if ".." in self.published else "a factor 2"}[self.kind]

    @property
    def source(self):
        return self.how + (f": {self.where}" if self.where else "")

    @property
    def tally(self):
        if self.how == "secondary":
            return "secondary"
        if self.probe in ARITHMETIC:
            return "formulas"
        return "promises" if self.how == "ours" else "published"


REQUIRED = ("id", "statement", "source", "probe")
# What a file may call a kind, with the side of a bound; its value is the published one.
KINDS = {**{kind: (kind, "") for kind in RULES if kind != "bound"},
         "at_most": ("bound", "most"), "at_least": ("bound", "least")}
# `setup`, `how` and the like follow from these.
FIELDS = {*REQUIRED, *KINDS, "seconds", "expected", "reason", "unit", "needs"}


def faults(claim):
    """What is wrong with a claim that has all its fields."""
    if claim.how not in HOW:
        yield f'source "{claim.how}" (known: {", ".join(HOW)}; then ": " and the place)'
    if claim.how == "read" and not claim.where:
        yield "read, but not where"
    for verdict in claim.expected:
        if verdict not in POSSIBLE[claim.kind]:
            yield (f'expected "{verdict}" (possible for {claim.kind}: '
                   f'{", ".join(sorted(POSSIBLE[claim.kind]))})')
    if claim.expected != [REPRODUCED] and not claim.reason.strip():
        yield "expects another verdict than reproduced and gives no reason"
    if len(claim.expected) > 1 and REPRODUCED not in claim.expected:
        yield "expects several verdicts, none of them reproduced"
    if {REPRODUCED, NOT_REPRODUCED} <= set(claim.expected):
        yield "expects that it is reproduced and that it is not"
    if POSSIBLE[claim.kind] <= set(claim.expected):
        yield "accepts every verdict that it can get: name fewer"
    if not isinstance(claim.published, str):
        yield "published is no string, which would keep its digits"


def impossible_needs(claims, isas):
    """What is wrong with claims that need what no machine has. `isas` are the names of all ISAs."""
    return [f'{claim.id}: needs "{need}", which no machine has' for claim in claims
            for need in claim.needs if need not in isas and not OF_MACHINES.fullmatch(need)]


def each(paper, values, lists):
    """The claims of one [[claim]]: one, or one a row. The first row has the names of the columns: a
    field or a value of the set-up; `text` is for {text} alone, and what is "" is left out. `rows`
    may name lists under [rows] of the file, with the same columns; a value of the set-up that the
    claim has itself counts more than theirs."""
    rows = values.pop("rows", [[], []])
    if rows and isinstance(rows[0], str):
        if unknown := [name for name in rows if name not in lists]:
            raise ValueError(f"{paper}: no list of rows {', '.join(unknown)}")
        rows = [lists[rows[0]][0], *(row for name in rows for row in lists[name][1:])]
    columns, *rows = rows
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"{paper}: a row of {len(row)} cells under {len(columns)} columns: "
                             f"{row}")
        cells = {name: cell for name, cell in zip(columns, row) if cell != ""}
        one = {**values, **{n: v for n, v in cells.items() if n in FIELDS}}
        setup = {n: v for n, v in cells.items() if n not in one and n != "text"}
        if setup:
            one["probe"] = {name: {**setup, **own} for name, own in values["probe"].items()}
        for name in {"id", "statement", "source"} & set(one):
            one[name] = re.sub(r"\{(\w+)\}", lambda m: str(cells.get(m[1], m[0])), one[name])
        yield one


def parse(paper, values):
    """Of one claim. Throws ValueError that says what is wrong."""
    identity = f"{paper}/{values.get('id', '?')}"
    kinds = [name for name in KINDS if name in values]
    wrong = ([f"no {name}" for name in REQUIRED if name not in values]
             + [f"unknown {name}" for name in values if name not in FIELDS])
    if not isinstance(values.get("probe", {"": 0}), dict) or len(values.get("probe", "1")) != 1:
        wrong.append("probe is not one probe.NAME with its set-up")
    if len(kinds) != 1:
        wrong.append(f"{' and '.join(kinds) or 'none'} of the kinds {', '.join(KINDS)}")
    if wrong:
        raise ValueError(f"{identity}: {', '.join(wrong)}")
    how, _, where = values["source"].partition(": ")
    kind, side = KINDS[kinds[0]]
    (probe, setup), = values["probe"].items()
    own = {name: value for name, value in values.items() if name in Claim.__dataclass_fields__}
    claim = Claim(**{**own, "id": identity, "how": how, "where": where, "kind": kind,
                     "side": side, "published": values[kinds[0]],
                     "tolerance": OF_CLAIMS.get(identity),
                     "probe": probe, "setup": setup})
    if isinstance(claim.expected, str):
        claim.expected = [claim.expected]
    wrong = list(faults(claim))
    if wrong:
        raise ValueError(f"{identity}: " + "; ".join(wrong))
    return claim


def parse_paper(name, text):
    """(what the file says of the paper, its claims). Throws ValueError that says what is wrong."""
    try:
        paper = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name}: {error}") from None
    tables, lists = paper.pop("claim", []), paper.pop("rows", {})
    if not isinstance(tables, list):
        raise ValueError(f"{name}: [claim] in place of [[claim]]")
    claims = [parse(name, one) for values in tables for one in each(name, values, lists)]
    if set(paper) | {"source"} != {"name", "summary", "source"}:
        raise ValueError(f"{name}: describes the paper by {', '.join(paper) or 'nothing'}, not by "
                         "name, summary and source")
    sources = ({name: paper["source"]} if "source" in paper else
               {claim.id: claim.where for claim in claims if claim.how != "ours"})
    for whose, source in sources.items():
        if not NAMED.search(source):
            raise ValueError(f'{whose}: the source "{source}" has no DOI, no arXiv number and no '
                             "repository with its commit")
    twice = [identity for identity, n in Counter(c.id for c in claims).items() if n > 1]
    if twice:
        raise ValueError(f"{twice[0]}: two claims have this id")
    return paper, sorted(claims, key=lambda claim: claim.id + ".")


def load(folder=FOLDER):
    """Papers by name, and all claims."""
    papers, claims = {}, []
    for path in sorted(folder.iterdir()):
        papers[path.stem], own = parse_paper(path.stem, path.read_text(encoding="utf-8"))
        claims += own
    unknown = {claim.id for claim in claims if claim.kind == "statistical"}
    unknown = sorted(set(OF_CLAIMS) - unknown)
    if unknown:
        raise ValueError(f"papers/data/tolerances.toml: no statistical claim {', '.join(unknown)}")
    return papers, claims


def load_or_exit():
    try:
        return load()
    except (OSError, ValueError) as error:
        sys.exit(f"bench/replicate: {error}")
