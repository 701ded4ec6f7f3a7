"""The plots of papers/plots.md. They follow from formulas and exact models, from the newest record,
and from the table of the joins."""
import os

import plot_curves
import plot_errors
from claim_files import ROOT

BLOCKS = (32, 64, 128, 256, 512)
NAMES = {"asymptotic": ("(1 - e^(-k/c))^k", "one array's formula", "for blocks"),
         "rocksdb": ("RocksDB", "lines a deviation", "fuller and emptier"),
         "lang_self_collision": ("Lang et al. 2019", "k less self-", "collisions"),
         "putze": ("Putze et al. 2007", "Poisson mixture of", "Bloom's formula"),
         "small asymptotic": ("(1 - e^(-k/c))^k",),
         "small classic": ("Bloom: (1 - (1 - 1/m)^(kn))^k",),
         "small ideal": ("ideal for probes h1 + i h2",)}
SMALL = {"small asymptotic": {"name": "asymptotic", "over": "classic_exact"},
         "small classic": {"name": "classic", "over": "classic_exact"},
         "small ideal": {"name": "classic_exact", "over": "double_hashing_exact"}}
KEYS = [round(32 * 2**(10 * i / 24)) for i in range(25)]
# Formulas of one layout each, over two numbers: the columns and the rows of a panel.
PANELS = {
    "lang_zoned": {"name": "lang_zoned", "over": "zoned", "groups": 2, "x": "bits_per_key",
                   "xs": list(range(4, 25)), "y": "k", "ys": list(range(2, 17, 2))},
    "poisson": {"name": "split_block_poisson", "over": "split_block_few", "x": "keys", "xs": KEYS,
                "y": "bits_per_key", "ys": list(range(8, 24))},
    "cuckoo_bound": {"name": "cuckoo_bound", "over": "cuckoo", "x": "load",
                     "xs": [round(0.5 + 0.02 * i, 2) for i in range(25)], "y": "fingerprint",
                     "ys": list(range(4, 20))}}
SIZING = {"one array for B = 64": {"name": "asymptotic", "over": "blocked", "block": 64},
          "one array for B = 256": {"name": "asymptotic", "over": "blocked", "block": 256},
          "one array for B = 512": {"name": "asymptotic", "over": "blocked", "block": 512},
          "Parquet's m": {"name": "asymptotic", "over": "split_block", "fixed_k": 8},
          "Putze for B = 64": {"name": "putze", "over": "blocked", "block": 64},
          "Putze for B = 512": {"name": "putze", "over": "blocked", "block": 512},
          "RocksDB for B = 512": {"name": "rocksdb", "over": "blocked", "block": 512}}
SPECS = ("classic blocked512 sector512 zoned512:z=2 split256 register64 register32 cuckoo8 "
         "cuckoo12 cuckoo16 fuse fuse:d=4")


def grouped(points):
    """Lists over k = 1 .. 16 for each x, of errors in ten-thousandths."""
    columns = {}
    for point in points:
        columns.setdefault(point["x"], []).append(round(point["y"], 4))
    return list(columns.values())


def models(prober):
    """What formulas and exact models say; no times."""
    def grid(**setup):
        return grouped(prober.samples("plot_grid", setup))

    def panel(xs, ys, **setup):
        return grouped(prober.samples("plot_panel", {
            **setup, "xs": " ".join(map(str, xs)), "ys": " ".join(map(str, ys))}))

    rates = {block: prober.samples("plot_grid", {"name": "blocked", "over": "one", "block": block})
             for block in BLOCKS}
    best = {}
    for block, points in rates.items():
        least = {}
        for p in points:
            least[p["x"]] = min(least.get(p["x"], (2, 0)), (p["y"], p["k"]))
        best[str(block)] = [k for _, k in least.values()]
    return {
        "errors": {
            "blocks": list(BLOCKS), "names": {name: list(text) for name, text in NAMES.items()},
            "formulas": {name: {str(block): grid(name=name, over="blocked", block=block)
                                for block in BLOCKS}
                         for name in NAMES if not name.startswith("small")},
            "best": best,
            "small": {name: grouped(prober.samples("plot_small", {**setup, "bits_per_key": 10}))
                      for name, setup in SMALL.items()},
            "panels": {name: panel(**setup) for name, setup in PANELS.items()}},
        "sizing": {name: [[p["x"], p["y"], p["delivered"]]
                          for p in prober.samples("plot_sizing", setup)]
                   for name, setup in SIZING.items()},
        "space": by_name(prober.samples("plot_space", {"keys": "1e6", "specs": SPECS}))}


def by_name(points):
    curves = {}
    for p in points:
        curves.setdefault(p["name"], []).append([p["bits"], p["fpr"]])
    return curves


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def published_points():
    """(bits a key, FPR, name) of the table of fastfilter_cpp on its first machine."""
    lines = [line for line in read("papers", "data", "fastfilter-2018.csv").splitlines()
             if not line.startswith("#")]
    names = lines[0].split(",")
    rows = [dict(zip(names, line.split(","))) for line in lines[1:]]
    return [(float(r["bits_per_key"]), float(r["fpr"]), r["filter"]) for r in rows
            if r["machine"] == "recentintel" and "addall" not in r["filter"]]


def joins_page():
    text = read("bench", "pages", "joins.md")
    return text.split("<!-- printed: hash_join -->")[1].split("<!-- end printed -->")[0]


def pictures(exact, record, joins):
    """File names and SVG texts, of what models() gives, a record, and the table of the joins."""
    entries = {entry["id"]: entry for entry in record["claims"]}
    drawn = {"errors.svg": plot_errors.error_map(exact["errors"]),
             "sizing.svg": plot_errors.sizing(exact),
             "space.svg": plot_curves.space(exact["space"], published_points(), entries),
             "joins.svg": plot_curves.joins(joins)}
    if excess := entries.get("kirsch-mitzenmacher-2006/excess"):
        drawn["double_hashing.svg"] = plot_curves.double_hashing(excess)
    return drawn
