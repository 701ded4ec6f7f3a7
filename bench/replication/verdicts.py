"""The rules that judge a claim from the published value and the samples of a probe.

A probe prints samples, one JSON object each:
  {"value": x}                      a number
  {"hits": h, "of": n}              a rate of one filter
  {"text": s}                       what an identity compares
  {"name": s, "value": x}           one member of an order
  {"ns": {name: t, ..}, "again": t, "ghz": g}
                                    one round of times. "again" is the first member once more: an
                                    A/A pair. ghz comes from a chain of dependent multiplications.
                                    The runner adds "process", the number of the process.
                                    With a "value" that was worked out from the times, that counts.
"""
import math
import random
import statistics
from dataclasses import dataclass
from decimal import Decimal

from tolerances import VALUES

REPRODUCED, DIRECTION, DIFFERS = "reproduced", "direction", "differs"
NOT_REPRODUCED, TOO_NOISY = "not reproduced", "machine too noisy"
NOT_TESTABLE = "not testable here"  # what the headline does not count: nothing was measured
VERDICTS = (REPRODUCED, DIRECTION, DIFFERS, NOT_REPRODUCED, TOO_NOISY, NOT_TESTABLE)

NEAR, STATISTICAL, ROUNDS = VALUES["near"], VALUES["statistical"], VALUES["rounds"]
PROCESSES = VALUES["processes"]
LOCATION, FAR, MOST_NOISE = VALUES["location"], VALUES["far"], VALUES["most_noise"]
LACKS = "needs "  # how the note of an entry begins that the machine cannot test


@dataclass
class Result:
    verdict: str
    ours: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""


# 95 % quantiles of Student's t, by degrees of freedom.
T95 = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771,
       1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711, 1.708)


def t95(freedom):
    return T95[freedom - 1] if freedom <= len(T95) else 1.645 + 1.6 / freedom


def mean_interval(values):
    """Mean and its 90 % interval. One value is its own interval."""
    mean = statistics.fmean(values)
    if len(values) == 1:
        return mean, mean, mean
    half = t95(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def wilson(hits, of, z=1.645):
    p, spread = hits / of, z * z / of
    centre = (p + spread / 2) / (1 + spread)
    half = z * math.sqrt(p * (1 - p) / of + spread / 4 / of) / (1 + spread)
    return p, max(0.0, centre - half), centre + half


def median_interval(values, resamples=2000):
    """Median and its 90 % percentile-bootstrap interval; equal values give equal intervals."""
    generator = random.Random(1)
    medians = sorted(statistics.median(generator.choices(values, k=len(values)))
                     for _ in range(resamples))
    out = resamples // 20
    return statistics.median(values), medians[out], medians[-out - 1]


def times_of(samples, name):
    return [sample["ns"][name] for sample in samples]


def ratios(samples):
    """Of the first member's time to the second's, a round each."""
    first, second = list(samples[0]["ns"])[:2]
    return [sample["ns"][first] / sample["ns"][second] for sample in samples]


def noise(samples):
    """Why the times judge nothing; empty if they may."""
    processes = {sample.get("process") for sample in samples}
    if len(samples) < ROUNDS or len(processes) < PROCESSES:
        return (f"{len(samples)} rounds of times in {len(processes)} processes, {ROUNDS} in "
                f"{PROCESSES} are needed")
    first = next(iter(samples[0]["ns"]))
    _, low, high = median_interval([s["again"] / s["ns"][first] for s in samples])
    if low < 1 / MOST_NOISE or high > MOST_NOISE:
        return f"the same filter twice took {low:.2f} to {high:.2f} times as long"
    clocks = sorted(sample["ghz"] for sample in samples)
    tenth = len(clocks) // 10
    if clocks[tenth] > 0 and clocks[-1 - tenth] / clocks[tenth] > MOST_NOISE:
        return f"the clock moved from {clocks[tenth]:.2f} to {clocks[-1 - tenth]:.2f} GHz"
    return ""


def interval(samples):
    """Estimate and 90 % interval of samples that are no texts or names; of times, over the medians
    of the processes."""
    if "ns" in samples[0]:
        given = "value" in samples[0]
        values = [s["value"] for s in samples] if given else ratios(samples)
        processes = {sample.get("process"): [] for sample in samples}
        for sample, value in zip(samples, values):
            processes[sample.get("process")].append(value)
        return mean_interval([statistics.median(own) for own in processes.values()])
    if "hits" in samples[0]:
        if len(samples) < 5:
            return wilson(sum(s["hits"] for s in samples), sum(s["of"] for s in samples))
        return mean_interval([s["hits"] / s["of"] for s in samples])
    return mean_interval([s["value"] for s in samples])


def published_range(text):
    """(low, high) of "8 .. 10", or twice the one number."""
    parts = [float(part) for part in text.split("..")]
    return parts[0], parts[-1]


def rounding(text):
    """The interval of the numbers that round to the printed digits."""
    low, high = (Decimal(part.strip()) for part in (text.split("..") * 2)[:2])
    half = Decimal((0, (5,), low.as_tuple().exponent - 1))
    half_high = Decimal((0, (5,), high.as_tuple().exponent - 1))
    return float(low - half), float(high + half_high)


def within_factor(value, low, high, factor):
    return low / factor <= value <= high * factor


def nearly(value, published):
    """Whether it is within NEAR of the published range, and of the same sign."""
    low, high = published
    if high < 0:
        value, low, high = -value, -high, -low
    return low > 0 and within_factor(value, low, high, NEAR)


def judge_identity(claim, samples):
    wrong = [s["text"] for s in samples if s["text"] != claim.published]
    return Result(NOT_REPRODUCED if wrong else REPRODUCED, note=(wrong or [samples[0]["text"]])[0])


def judge_exact(claim, samples):
    ours = samples[0]["value"]
    low, high = rounding(claim.published)
    slack = 1e-9 * max(abs(low), abs(high))
    if low - slack <= ours <= high + slack:
        return Result(REPRODUCED, ours, ours, ours)
    near = nearly(ours, published_range(claim.published))
    return Result(DIFFERS if near else NOT_REPRODUCED, ours, ours, ours)


def band(claim):
    """Where the interval has to lie."""
    low, high = published_range(claim.published)
    if claim.kind == "bound":
        return (-math.inf, high) if claim.side == "most" else (low, math.inf)
    if claim.kind == "statistical":
        tolerance = claim.tolerance or STATISTICAL
        return low * (1 - tolerance), high * (1 + tolerance)
    if claim.kind == "location" and low < high:
        return low, high
    factor = NEAR if claim.kind == "ratio" else LOCATION
    return low / factor, high * factor


# The verdict of an interval that does not lie in the band, by the kind of the claim.
OUTSIDE = {
    "statistical": lambda ours, low, high, begin, end, published:
        DIFFERS if nearly(ours, published) else NOT_REPRODUCED,
    "bound": lambda ours, low, high, begin, end, published:
        DIFFERS if low <= end and begin <= high else NOT_REPRODUCED,
    "ratio": lambda ours, low, high, begin, end, published:
        DIRECTION if low > 1 and published[0] >= 1 or high < 1 and published[1] <= 1
        else NOT_REPRODUCED,
    "location": lambda ours, low, high, begin, end, published:
        DIFFERS if published[0] / FAR <= low and high <= published[1] * FAR else NOT_REPRODUCED}


def judge_interval(claim, samples):
    (ours, low, high), (begin, end) = interval(samples), band(claim)
    verdict = REPRODUCED if begin <= low and high <= end else OUTSIDE[claim.kind](
        ours, low, high, begin, end, published_range(claim.published))
    return Result(verdict, ours, low, high)


def rank_correlation(order, values):
    """Kendall's: 1 where the values rise in that order, -1 where they fall."""
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1:]]
    signs = [(values[b] > values[a]) - (values[b] < values[a]) for a, b in pairs]
    return sum(signs) / len(pairs)


def judge_order(claim, samples):
    if "ns" in samples[0]:
        values = {name: statistics.median(times_of(samples, name)) for name in samples[0]["ns"]}
    else:
        values = {sample["name"]: sample["value"] for sample in samples}
    order = [name.strip() for name in claim.published.split("<")]
    ours = rank_correlation(order, values)
    verdict = REPRODUCED if ours == 1 else DIRECTION if ours > 0 else NOT_REPRODUCED
    return Result(verdict, ours, ours, ours, " < ".join(sorted(values, key=values.get)))


RULES = {"identity": judge_identity, "exact": judge_exact, "order": judge_order,
         **dict.fromkeys(OUTSIDE, judge_interval)}
# The verdicts that a kind can get of samples.
POSSIBLE = {kind: {REPRODUCED, NOT_REPRODUCED} | {
    "identity": set(), "ratio": {DIRECTION}, "order": {DIRECTION}
}.get(kind, {DIFFERS}) for kind in RULES}


def judge(claim, samples):
    if not samples:
        return Result(NOT_TESTABLE, note="the probe printed nothing")
    if "ns" in samples[0] and (why := noise(samples)):
        return Result(TOO_NOISY, note=why)
    return RULES[claim.kind](claim, samples)


def as_expected(entry):
    """Whether an entry of a record has a verdict that its claim expects. Of what a machine lacks,
    none is expected."""
    return entry["verdict"] in entry["expected"] or entry["note"].startswith(LACKS)
