"""Reading results.csv, and the choices of rows that the pages and the plots share."""
import csv
import json
import os
import re


def plain(text):
    """What another library says, which could be headings and tables of its own, as one line."""
    return re.sub(r"[^ -;=?-Z^_a-{}~]", "?", text)


def load(folder):
    with open(os.path.join(folder, "machine.json"), encoding="utf-8") as f:
        about = json.load(f)
    about["machine"] = {name: plain(value) if name.startswith("peer ") else value
                        for name, value in about["machine"].items()}
    about["complaints"] = [plain(said) for said in about["complaints"]]
    numbers = ("batch n_keys bits_per_key filter_bytes hit_ratio threads ns_per_key ns_low ns_high "
               "touch_ns touch_ratio fpr fpr_low fpr_high fpr_model lines_per_key l1_misses "
               "ll_misses repetitions cycles_per_key touch_moved sets").split()
    subject_of = {name: subject for subject in about["subjects"] for name in subject["filters"]}
    rows = []
    with open(os.path.join(folder, "results.csv"), newline="") as f:
        for row in csv.DictReader(f):
            for name in numbers:
                row[name] = float(row[name]) if row.get(name) else None
            subject = subject_of[row["filter"]]
            row["family"], row["role"] = subject["name"], subject["role"]
            rows.append(row)
    batched = {row["family"] for row in rows if row["output"] == "bitmap"}
    for row in rows:
        row["takes_batches"] = row["family"] in batched
    return about, rows


def size(n):
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if n >= scale:
            return f"{n / scale:.4g} {unit}"
    return f"{n:.0f} B"


def heading(about, rows, level, bytes_):
    """A memory level and what a reader must know of its rows."""
    text = level
    if level == "DRAM" and bytes_ < 4 * about["levels"]["L3"]:
        text += f", only {bytes_ / about['levels']['L3']:.1f} times L3"
    if any(r.get("disturbed") == "1" and r["memory_level"] == level for r in rows):
        text += ", disturbed"
    return f"{size(bytes_)} ({text})"


def percent(f):
    """None is the model of a filter that has none."""
    return "none" if f is None else f"{100 * f:.3g} %"


def subjects(about, *roles):
    """The subjects of these roles, in the order of the list."""
    return [subject["name"] for subject in about["subjects"] if subject["role"] in roles]


def main_subjects(about):
    """The few that short tables have."""
    return [subject["name"] for subject in about["subjects"] if subject["main"]]


def fewest_bits(about, name):
    """The bits per key below which the subject cannot be filled; 0 if there is no such bound."""
    return next(subject["least_bits"] for subject in about["subjects"] if subject["name"] == name)


COMPARED = ("contender", "peer")
APART = ("engine", "hashes", "bank")  # in tables of their own alone


def is_usual_lookup(row, about):
    """Absent keys, one thread, the best ISA; into a bitmap, or key by key where the subject takes
    no batches."""
    way = ("bitmap", 16384) if row["takes_batches"] else ("single", 1)
    return (row["op"] == "lookup" and row["hit_ratio"] == 0 and row["threads"] == 1
            and row["isa"] in (about["best_isa"], "native")
            and (row["output"], row["batch"]) == way)


def is_standard_lookup(row, about):
    """The usual lookup of the filters that are compared."""
    return row["role"] in COMPARED and is_usual_lookup(row, about)


# What is timed of many sets: a lookup (subject, output).
BANK_WAYS = {"contains": ("bank", "bitmap"), "count_per_set": ("bank", "count"),
             "one by one": ("filters", "count")}


def banks(about, rows):
    """{number of sets: {bytes: {way: row}}} of what was measured of many sets, in their order."""
    found = {subject["sets"]: {} for subject in about["subjects"] if subject["role"] == "bank"}
    for way, (subject, output) in BANK_WAYS.items():
        for r in rows:
            if r["role"] == "bank" and r["output"] == output and r["family"].startswith(subject):
                found[r["sets"]].setdefault(r["filter_bytes"], {})[way] = r
    return {sets: dict(sorted(sizes.items())) for sets, sizes in found.items()} if any(
        found.values()) else {}


def bandwidth_ns(about, row):
    """The time of a key's lines at the memory's bandwidth in sequence; None if it is not known."""
    speed = about.get("memory_speed", {}).get("sequential_gb_per_second")
    return row["lines_per_key"] * 64 / speed if speed else None


LEVELS = ("L1", "L2", "L3", "DRAM")


def nominal_sizes(rows):
    """The sizes that every filter was measured at, one a memory level: those with the most ISAs."""
    lookups = [r for r in rows if r["op"] == "lookup"]
    scalar = [r for r in lookups if (r["isa"], r["output"]) == ("scalar", "bitmap")]
    sizes = {}
    for row in [r for r in scalar if r["family"] == "split256"] or scalar or lookups:
        sizes.setdefault(row["memory_level"], row["filter_bytes"])
    return sizes


def near(row, bytes_):
    return bytes_ / 1.6 < row["filter_bytes"] < bytes_ * 1.6


def families(rows):
    return list(dict.fromkeys(r["family"] for r in rows if r["role"] in COMPARED))


def at_12_bits(rows, level, bytes_, about, roles=COMPARED):
    """The case of each family that was measured for 12 bits a key (or the densest a cuckoo filter
    has)."""
    def distance(row):
        return abs(row["bits_per_key"] - 12)

    found = {}
    for row in rows:
        if (row["role"] in roles and is_usual_lookup(row, about) and row["memory_level"] == level
                and near(row, bytes_)):
            before = found.get(row["family"])
            if before is None or distance(row) < distance(before):
                found[row["family"]] = row
    return found


def near_12_bits(about, rows, level, *roles):
    """What of these roles has about the bytes of the others: the fastest first."""
    found = at_12_bits(rows, level, nominal_sizes(rows).get(level, 0), about, roles)
    return sorted((r for r in found.values() if abs(r["bits_per_key"] - 12) <= 0.7),
                  key=lambda r: r["ns_per_key"])
