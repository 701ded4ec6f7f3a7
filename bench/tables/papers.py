"""The measured tables of papers/."""
from cells import MISSING, bits, cell, fpr, markdown_table, model, name, ns, ratio, times
from pages import table
from rows import main_subjects
from run import LEVELS


@table("polychroniou-ross-2014")
def polychroniou_ross_2014(run):
    isas = [isa for isa in run.about["isas"][1:] if any(r["isa"] == isa for r in run.rows)]
    body = []
    for hits in (0, 0.5, 1):
        for level in LEVELS:
            scalar = run.at("classic", level, isa="scalar", hits=hits)
            if hits and not scalar:
                continue
            single = run.at("classic", level, output="single", batch=1, hits=hits)
            body.append([run.heading(level), f"{hits:g}"]
                        + [ratio(scalar, run.at("classic", level, isa=isa, hits=hits))
                           for isa in isas]
                        + [times(single, run.at("classic", level, hits=hits))])
    return markdown_table(["filter size", "share of keys present"]
                          + [f"scalar : {isa}" for isa in isas]
                          + [f"one key a call : {run.isa}"], body)


@table("graf-lemire-2022")
def graf_lemire_2022(run):
    body = []
    for level in ("L2", "L3"):
        for family in ("fuse", "fuse:d=4", *main_subjects(run.about)):
            # A slot has whole bits: a fuse filter may have one a slot less than 12 a key.
            wanted = 11.7 if family.startswith("fuse") else None
            row = run.at(family, level, wanted, within=1.0, output="count")
            body.append([run.heading(level), name(row, family), bits(row), fpr(row), ns(row)])
    return markdown_table(["size", "filter", "bits/key", "FPR", "absent keys, ns a key"], body)


@table("lang-2019")
def lang_2019(run):
    names = [f for f in run.ours if f != "cuckoo16"]
    body = []
    for family in names:
        rows = {level: run.at(family, level) for level in LEVELS}
        first = next((r for r in rows.values() if r), None)
        cells = [ratio(rows[level], run.at("register64", level)) for level in LEVELS]
        gains = [ratio(run.at(family, level, isa="scalar"), rows[level]) for level in LEVELS]
        body.append([name(first, family), bits(first), model(first)]
                    + [c if c == g else f"{c} ({g})" for c, g in zip(cells, gains)])
    return ("Lookup time over that of `register64`, absent keys, near 12 bits per key; "
            + f"in brackets scalar time over `{run.isa}` time:\n\n"
            + markdown_table(["filter", "bits/key", "FPR (exact model)"]
                             + [run.heading(level) for level in LEVELS], body))


def rho(row, cost):
    return row["ns_per_key"] + row["fpr_model"] * cost


def near_12(row):
    return abs(row["bits_per_key"] - 12) < 0.7


def compared(run, level, chosen):
    return [r for family in run.ours for r in run.lookups(family)
            if run.has_size_of(r, level) and chosen(r)]


def winners(run, chosen):
    costs = (10, 100, 1e3, 1e4, 1e5)
    body = []
    for level in LEVELS:
        rows = compared(run, level, chosen)
        line = [run.heading(level), str(len(rows))]
        for cost in costs:
            best = min(rows, key=lambda r: rho(r, cost), default=None)
            line.append(cell(lambda r: f"`{r['filter']}`, {r['bits_per_key']:.3g} bits: "
                                       f"{rho(r, cost):.3g}", best))
        body.append(line)
    return markdown_table(["filter size", "filters compared"]
                          + [f"t_w = {cost:g} ns" for cost in costs], body)


def first_cost(bloom, cuckoo):
    """The least cost at which a cuckoo filter has a lower rho than every Bloom filter, if any."""
    def ahead(cost):
        return min(rho(r, cost) for r in cuckoo) < min(rho(r, cost) for r in bloom)

    meets = [(c["ns_per_key"] - b["ns_per_key"]) / (b["fpr_model"] - c["fpr_model"])
             for c in cuckoo for b in bloom if b["fpr_model"] != c["fpr_model"]]
    costs = sorted([0.0] + [m for m in meets if m > 0])
    return next((cost for cost in costs if ahead(cost * 1.000001)), None)


def crossing(run, level):
    rows = compared(run, level, near_12)
    cuckoo = [r for r in rows if r["family"].startswith("cuckoo")]
    bloom = [r for r in rows if not r["family"].startswith("cuckoo")]
    unit = run.at("register64", level)
    if not (bloom and cuckoo and unit):
        return MISSING
    first = first_cost(bloom, cuckoo)
    if first is None:
        return "at none"
    if first == 0:
        return "at any"
    lookups = first / unit["ns_per_key"]
    return f"from {first:.3g} ns, {lookups:.3g} times a `register64` lookup"


@table("lang-2019-rho")
def lang_2019_rho(run):
    crossings = [[run.heading(level), crossing(run, level)] for level in LEVELS]
    return ("Least rho in ns, filters near 12 bits per key (11.3 to 12.7):\n\n"
            + winners(run, near_12)
            + "\n\nLeast rho in ns, all bits per key measured at that size:\n\n"
            + winners(run, lambda r: True)
            + "\n\nWork saved t_w at which a cuckoo filter near 12 bits per key has a lower rho "
            + "than every Bloom filter there:\n\n"
            + markdown_table(["filter size", "t_w"], crossings))
