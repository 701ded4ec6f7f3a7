"""The claims: one file each, papers/claims/PAPER/CLAIM.toml."""
import os
import re
import sys
from dataclasses import dataclass, field

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11: Debian's python3-tomli
    import tomli as tomllib

from verdicts import NEAR, NOT_TESTABLE, RULES, STATISTICAL, VERDICTS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench", "harness"))  # svg, skyline, rows
FOLDER = os.path.join(ROOT, "papers", "claims")
EVIDENCE = {"A": "abstract or primary page", "D": "authors' data or code",
            "S": "secondary source", "C": "recomputed"}
# What some machines have and others lack.
OF_MACHINES = re.compile(r"scalar|sse42|avx2|avx512|avx512bitalg|neon|clock|\d+ GiB|cpu:\d+:\d+")
# The most seconds that one claim may take.
DEPTHS = {"quick": 4, "standard": 60, "full": float("inf")}


@dataclass
class Claim:
    id: str
    statement: str
    where: str
    evidence: str
    kind: str
    published: str
    probe: str
    expected: list
    seconds: float
    setup: dict = field(default_factory=dict)
    unit: str = ""
    machine: str = ""
    tolerance: float | None = None
    side: str = ""
    needs: list = field(default_factory=list)
    limit: dict | None = None
    reason: str = ""

    @property
    def paper(self):
        return self.id.split("/")[0]

    @property
    def tolerance_text(self):
        if self.kind == "statistical":
            return f"{100 * (self.tolerance or STATISTICAL):.3g} %"
        return {"identity": "equal", "exact": "the printed digits", "bound": f"at {self.side}",
                "ratio": f"a factor {NEAR}", "order": "the order", "location": "a factor 2",
                "shape": f"{self.tolerance or 0.1} in the slope"}[self.kind]


REQUIRED = ("statement", "where", "evidence", "kind", "published", "probe", "seconds", "expected")


def faults(claim):
    """What is wrong with a claim that has all its fields."""
    if claim.kind not in RULES:
        yield f'kind "{claim.kind}" (known: {", ".join(RULES)})'
    if not claim.evidence or set(claim.evidence) - set(EVIDENCE):
        yield f'evidence "{claim.evidence}" (letters of {"".join(EVIDENCE)})'
    for verdict in claim.expected:
        if verdict not in VERDICTS:
            yield f'expected "{verdict}" (known: {", ".join(VERDICTS)})'
    if claim.expected != ["reproduced"] and not claim.reason.strip():
        yield "expects another verdict than reproduced and gives no reason"
    for need in claim.needs:
        if not OF_MACHINES.fullmatch(need) and claim.expected != [NOT_TESTABLE]:
            yield f'needs "{need}", which no machine has, and expects more than "{NOT_TESTABLE}"'
    if claim.kind == "bound" and claim.side not in ("most", "least"):
        yield f'side "{claim.side}" of a bound (most or least)'
    if claim.limit is not None and set(claim.limit) != {"side", "probe", "setup"}:
        yield "limit has other fields than side, probe and setup"
    if not isinstance(claim.published, str):
        yield "published is no string, which would keep its digits"


def parse(identity, text):
    """Throws ValueError that says what is wrong."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{identity}: {error}") from None
    missing = [name for name in REQUIRED if name not in values]
    known = set(Claim.__dataclass_fields__) - {"id"}
    unknown = [name for name in values if name not in known]
    if missing or unknown:
        raise ValueError(f"{identity}: " + ", ".join(
            [f"no {name}" for name in missing] + [f"unknown {name}" for name in unknown]))
    if isinstance(values["expected"], str):
        values["expected"] = [values["expected"]]
    claim = Claim(identity, **values)
    wrong = list(faults(claim))
    if wrong:
        raise ValueError(f"{identity}: " + "; ".join(wrong))
    return claim


def load(folder=FOLDER):
    """Papers by name, as papers/claims/PAPER/paper.toml describes them, and all claims."""
    papers, claims = {}, []
    for paper in sorted(os.listdir(folder)):
        names = sorted(os.listdir(os.path.join(folder, paper)))
        for name in names:
            path = os.path.join(folder, paper, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if name == "paper.toml":
                papers[paper] = tomllib.loads(text)
            else:
                claims.append(parse(f"{paper}/{name.removesuffix('.toml')}", text))
        if paper not in papers:
            raise ValueError(f"{paper}: no paper.toml")
    return papers, claims


def load_or_exit():
    try:
        return load()
    except (OSError, ValueError) as error:
        sys.exit(f"bench/replicate: {error}")
