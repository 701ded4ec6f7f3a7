"""The measured tables of papers/, but those of lang-2019.md."""

from cells import (MISSING, bits, cell, classic_bits, fpr, interval, k_of, keys, markdown_table,
                   model, name, ns, ratio, times)
from pages import table
from rows import ISAS, percent
from run import LEVELS


def over_model(row, modelled):
    """The measured FPR of a row over the exact model of another."""
    return cell(lambda a, b: f"{a['fpr'] / b['fpr_model']:.3f}", row, modelled)


@table("bloom-1970")
def bloom_1970(run):
    published = {(8, "6"): 0.0216, (10, "7"): 0.00819, (12, "8"): 0.00314}
    body = []
    for b in (8, 10, 12, 16, 20):
        row = run.at("classic", "L2", b)
        known = row and published.get((b, k_of(row)))
        body.append([str(b), cell(k_of, row), percent(known) if known else "-", model(row),
                     fpr(row), interval(row), over_model(row, row)])
    return (f"`classic`, {run.heading('L2')}:\n\n"
            + markdown_table(["bits/key", "k", "published (Fan et al. 2000)", "formula",
                              "FPR measured", "95 % interval", "measured / formula"], body))


@table("putze-2007")
def putze_2007(run):
    body = []
    for b, blocked_published, classic_published in ((8, 0.0231, 0.0215), (20, 1.94e-4, 6.7e-5)):
        blocked, classic = run.at("blocked512", "L2", b), run.at("classic", "L2", b)
        for which, row, published in (("blocked512", blocked, blocked_published),
                                      ("classic", classic, classic_published)):
            body.append([f"FPR of `{which}` at {b} bits/key", percent(published),
                         cell(lambda r: f"{fpr(r)} ({interval(r)}), k = {k_of(r)}, "
                                        f"exact model {model(r)}", row)])
        body.append([f"FPR ratio `blocked512` : `classic` at {b} bits/key",
                     f"{blocked_published / classic_published:.2f}",
                     cell(lambda *pair: f"{ratio(*pair, 'fpr')} measured, "
                                        f"{ratio(*pair, 'fpr_model')} by the exact models",
                          blocked, classic)])
    shares = ((0, "absent"), (1, "present"))
    for hits, what in shares:
        blocked, classic = (run.at(f, "L3", hits=hits) for f in ("blocked512", "classic"))
        body.append([f"lines per {what} key, `blocked512` against `classic`", "1 against up to k",
                     cell(lambda a, b: f"{a['lines_per_key']:.2f} against "
                                       f"{b['lines_per_key']:.2f} (k = {k_of(b)})",
                          blocked, classic)])
    for hits, what in shares:
        for level in ("L3", "DRAM"):
            blocked, classic = (run.at(f, level, hits=hits) for f in ("blocked512", "classic"))
            where = f"{what} keys, {run.heading(level)}"
            body.append([f"time ratio `classic` : `blocked512`, {where}", "about 4",
                         times(classic, blocked)])
    return markdown_table(["quantity", "published", "here"], body)


def cuckoo_loads(run):
    body = []
    for b in (8, 12, 16):
        found = (run.at(f"cuckoo{b}", level, b / 0.95) for level in ("L3", "L2", "L1", "DRAM"))
        row = next((r for r in found if r), None)
        classic = cell(lambda r: classic_bits(r["fpr_model"]), row)
        body.append([f"`cuckoo{b}`", cell(lambda r: f"{b / r['bits_per_key']:.3f}", row),
                     bits(row), fpr(row), model(row), percent(8 / 2 ** b),
                     cell(lambda r: f"{classic:.2f}", row),
                     cell(lambda r: f"{r['bits_per_key'] / classic:.2f}", row)])
    return markdown_table(["filter", "load", "bits/key", "FPR measured", "exact model",
                           "published bound 2b/2^f",
                           "classic needs at the same FPR (formula), bits/key",
                           "cuckoo : classic"], body)


def cuckoo_space(run):
    body = []
    for target in (0.01, 0.001):
        most = target * 1.0001

        def smallest(n, *families):
            rows = [r for family in families for r in run.lookups(family)
                    if r["n_keys"] == n and r["fpr_model"] <= most]
            return min(rows, key=lambda r: r["bits_per_key"], default=None)

        sizes = sorted({r["n_keys"] for r in run.lookups("classic")
                        if target * 0.97 < r["fpr_model"] <= most})
        for n in sizes or [None]:
            cuckoo = smallest(n, "cuckoo8", "cuckoo12", "cuckoo16")
            classic, blocked = smallest(n, "classic"), smallest(n, "blocked512")
            body.append([percent(target), f"{n:,.0f}" if n else MISSING,
                         cell(lambda r: f"`{r['filter']}`, {bits(r)}", cuckoo),
                         bits(classic), bits(blocked), ratio(cuckoo, classic, "bits_per_key")])
    return markdown_table(["FPR wanted", "keys", "cuckoo", "`classic`", "`blocked512`",
                           "cuckoo : classic"], body)


@table("fan-2014")
def fan_2014(run):
    return (f"Filled to their design load:\n\n{cuckoo_loads(run)}\n\n"
            + "Bits per key for a wanted FPR (the cuckoo filter of this library that needs "
            + f"least):\n\n{cuckoo_space(run)}")


@table("kirsch-mitzenmacher-2006")
def kirsch_mitzenmacher_2006(run):
    def line(filter_, b, row, ideal):
        return [f"`{filter_}`", str(b), cell(k_of, ideal), keys(row),
                cell(lambda r: f"{100 * r['fpr']:.3f} %", row), interval(row),
                cell(lambda r: f"{100 * r['fpr_model']:.3f} %", ideal), over_model(row, ideal)]

    body = []
    for b in (8, 12):
        rows = [r for r in run.lookups("classic") if abs(r["bits_per_key"] - b) < 0.05]
        rows.sort(key=lambda r: r["n_keys"])
        body += [line("classic", b, r, r) for r in rows or [None]]
    for level in ("L1", "L2", "L3"):
        body.append(line("leveldb", 12, run.at("leveldb", level), run.at("classic", level)))
    return markdown_table(["filter", "bits/key", "k", "keys", "FPR measured", "95 % interval",
                           "ideal hashing", "measured / ideal"], body)


@table("polychroniou-ross-2014")
def polychroniou_ross_2014(run):
    isas = [isa for isa in ISAS if isa != "scalar" and any(r["isa"] == isa for r in run.rows)]
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
        for family in ("fuse", "fuse:d=4", "split256", "blocked512", "classic", "cuckoo12"):
            # A slot has whole bits: a fuse filter may have one a slot less than the 12 a key that
            # were asked for.
            wanted = 11.7 if family.startswith("fuse") else None
            row = run.at(family, level, wanted, within=1.0, output="count")
            body.append([run.heading(level), name(row, family), bits(row), fpr(row), ns(row)])
    return markdown_table(["size", "filter", "bits/key", "FPR", "absent keys, ns a key"], body)
