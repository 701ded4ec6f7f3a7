"""What each claim notices: published values that are multiplied, and filters that have a fault."""
import contextlib
import csv
import dataclasses
from decimal import Decimal

from claim_files import ROOT
from prober import Lacking
from verdicts import NOT_REPRODUCED, REPRODUCED, TOO_NOISY, judge

PATH = ROOT / "papers/data/power.csv"
FACTORS = ("0.5", "0.67", "1.5", "2")
# Faults of bench/replication/faulty.hpp, and the probes that know them.
FAULTS = ("half", "k", "lost", "mixer", "tail")
FAULTED = {"fpr", "lost", "same_on_every_isa"}
COLUMNS = (*FACTORS, *FAULTS)


def notices(claim, samples):
    """Whether samples get a verdict with which the claim does not pass. What is refuted passes as
    long as it is refuted."""
    refuted = claim.expected == [NOT_REPRODUCED]
    passes = {NOT_REPRODUCED} if refuted else {REPRODUCED, *claim.expected}
    return judge(claim, samples).verdict not in passes


def times(text, factor, digits):
    """"8 .. 10" times a factor; with as many digits if these are the tolerance."""
    numbers = [Decimal(part.strip()) for part in text.split("..")]
    products = [number * Decimal(factor) for number in numbers]
    if digits:
        products = [product.quantize(number) for product, number in zip(products, numbers)]
    return " .. ".join(map(str, products))


def scaled(claim, factor):
    """The claim with another published value: an order is reversed. None if there is none."""
    if claim.kind == "identity":
        return None
    if claim.kind == "order":
        names = [name.strip() for name in claim.published.split("<")]
        return dataclasses.replace(claim, published=" < ".join(reversed(names)))
    product = times(claim.published, factor, claim.kind == "exact")
    return dataclasses.replace(claim, published=product)


def by_factors(claim, samples, prober):
    """{factor: whether it is noticed}."""
    if claim.probe == "published_fprs":  # a table of values; the text names those that are wrong
        drawn = {factor: prober.samples(claim.probe, {**claim.setup, "times": factor})
                 for factor in FACTORS}
        return {factor: notices(claim, of_factor) for factor, of_factor in drawn.items()}
    if not samples or judge(claim, samples).verdict == TOO_NOISY:
        return {}
    others = {factor: scaled(claim, factor) for factor in FACTORS}
    return {factor: notices(other, samples) for factor, other in others.items() if other}


def by_faults(claim, samples, prober):
    """{fault: whether it is noticed}. An identity whose probe knows no faults is judged by a sample
    that was altered, as a lost key would."""
    if claim.probe in FAULTED and not prober.missing(claim):
        found = {}
        for fault in FAULTS:
            with contextlib.suppress(Lacking):
                drawn = prober.samples(claim.probe, {**claim.setup, "fault": fault})
                found[fault] = notices(claim, drawn)
        return found
    if claim.kind == "identity" and claim.probe != "published_fprs" and samples:
        return {"lost": notices(claim, [*samples[1:], {"text": "one key in 128 lost"}])}
    return {}


def as_text(rows):
    """`rows`: {claim's id: {column: whether it is noticed}}. A line has all claims that notice the
    same."""
    claims = {}
    for identity, row in rows.items():
        cells = [{True: "+", False: "-", None: ""}[row.get(column)] for column in COLUMNS]
        claims.setdefault(",".join(cells), []).append(identity)
    lines = [f"{cells},{' '.join(alike)}\n" for cells, alike in claims.items()]
    return ",".join([*COLUMNS, "claims\n"]) + "".join(sorted(lines))


def read():
    rows = csv.DictReader(PATH.read_text(encoding="utf-8").splitlines())
    return {identity: {column: row[column] == "+" for column in COLUMNS if row[column]}
            for row in rows for identity in row["claims"].split()}


def descriptive(rows):
    """The claims that were tried and notice nothing."""
    return {identity for identity, row in rows.items() if row and not any(row.values())}
