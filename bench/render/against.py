"""What became faster or slower since an older run, beyond the noise of both.

usage: against.py OLD/results.csv NEW/results.csv

Pairs the rows of equal filter, ISA, operation, batch, output, keys, bytes, hit ratio and threads.
A pair is faster or slower where the 95 % intervals of the two runs do not meet and the times differ
by more than noise(); a row marked as disturbed is within noise. Exit code: 0 nothing is slower, 1
something is, 2 the files cannot be compared.
"""
import csv
import sys

from rows import size

KEYS = "filter isa op batch output n_keys filter_bytes hit_ratio threads".split()
SAME = ("cpu", "cpu_family", "cpu_model")


class NotComparable(Exception):
    pass


def read(path):
    """The rows by their key columns."""
    try:
        with open(path, newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        raise NotComparable(f"cannot read \"{path}\": {getattr(e, 'strerror', None) or e}")
    if not rows:
        raise NotComparable(f"\"{path}\" has no rows")
    lacking = [name for name in (*KEYS, *SAME, "ns_per_key", "ns_low", "ns_high")
               if rows[0].get(name) is None]
    if lacking:
        raise NotComparable(f"\"{path}\" has no column {lacking[0]}")
    for number, row in enumerate(rows, 2):
        for name in ("ns_per_key", "ns_low", "ns_high"):
            try:
                row[name] = float(row[name])
                valid = row[name] > 0
            except (TypeError, ValueError):
                valid = False
            if not valid:
                raise NotComparable(f"\"{path}\", line {number}: {name} is \"{row[name]}\"")
    return {tuple(row[name] for name in KEYS): row for row in rows}


def noise(old, new):
    """What two runs of one program may differ by: 5 % through the addresses of their memory, 20 %
    where threads must find a free core each, and what `touch` moved within each run."""
    moved = sum(float(row.get("touch_moved") or 0) for row in (old, new))
    return (0.05 if new["threads"] in ("1", 1) else 0.2) + moved


def verdict(old, new):
    least = 1 + noise(old, new)
    if "1" in (old.get("disturbed"), new.get("disturbed")):
        return "within noise"
    if new["ns_low"] > old["ns_high"] and new["ns_per_key"] > old["ns_per_key"] * least:
        return "slower"
    if new["ns_high"] < old["ns_low"] and new["ns_per_key"] * least < old["ns_per_key"]:
        return "faster"
    return "within noise"


def compare(old, new):
    """[(ratio of times, verdict, old row, new row)], the slowest first."""
    first, second = next(iter(old.values())), next(iter(new.values()))
    for name in SAME:
        if first[name] != second[name]:
            raise NotComparable(f"other CPU: {name} was \"{first[name]}\", now "
                                f"\"{second[name]}\"")
    pairs = [(new[key]["ns_per_key"] / old[key]["ns_per_key"], verdict(old[key], new[key]),
              old[key], new[key]) for key in new if key in old]
    if not pairs:
        raise NotComparable("the two files have no row in common")
    return sorted(pairs, key=lambda pair: -pair[0])


def name(row):
    """"lookup bitmap, hits 0.5, 2 threads" """
    text = " ".join(w for w in (row["op"], row["output"]) if w)
    if row["hit_ratio"] not in ("", "0"):
        text += f", hits {row['hit_ratio']}"
    if row["batch"] not in ("1", "16384", row["n_keys"]):
        text += f", batch {row['batch']}"
    return text + (f", {row['threads']} threads" if row["threads"] != "1" else "")


def table(pairs):
    lines = [("new/old", "old ns", "new ns", "filter", "size", "ISA", "operation", "")]
    for ratio, said, old, new in pairs:
        lines.append((f"{ratio:.3f}", f"{old['ns_per_key']:.3f}", f"{new['ns_per_key']:.3f}",
                      new["filter"], size(float(new["filter_bytes"])), new["isa"], name(new), said))
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.rjust(w) if i < 3 else cell.ljust(w) for i, (cell, w)
                               in enumerate(zip(line, widths))).rstrip() for line in lines)


def main(old_path, new_path):
    try:
        old, new = read(old_path), read(new_path)
        pairs = compare(old, new)
    except NotComparable as e:
        print(f"bench/report --against: {e}", file=sys.stderr)
        return 2
    changed = [pair for pair in pairs if pair[1] != "within noise"]
    slower = sum(pair[1] == "slower" for pair in changed)
    if changed:
        print(table(changed))
    print(f"{len(pairs)} rows in both runs: {slower} slower, {len(changed) - slower} faster, "
          f"{len(pairs) - len(changed)} within noise; {len(old) - len(pairs)} only in the old run, "
          f"{len(new) - len(pairs)} only in the new one")
    disturbed = sum("1" in (o.get("disturbed"), n.get("disturbed")) for _, _, o, n in pairs)
    if disturbed:
        print(f"{disturbed} rows were disturbed by other work, in one run or both; they say "
              "nothing")
    return 1 if slower else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
