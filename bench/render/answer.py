"""What a reader takes away in ten seconds: which filter is fastest here, by how much, what the
designs of engines take at the same size, and what was not measured."""
from against import verdict
from cells import ns
from rows import (
    COMPARED, LEVELS, families, heading, is_standard_lookup, near, near_12_bits, nominal_sizes,
    percent, subjects,
)

MOST_FPR = 0.01
SPOKEN = ("L2", "DRAM")  # a picture has the others


def listed(names):
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def quoted(row):
    return f"`{row['family']}`"


def accurate(rows):
    return [r for r in rows if r["fpr"] <= MOST_FPR * 1.02]


def fastest(about, rows, level, *roles):
    """The filters of these roles with few false positives, the fastest first."""
    return accurate(near_12_bits(about, rows, level, *roles))


def said_of_engines(best, about, rows, level):
    """(verdict, sentence) of the fastest design of an engine beside the fastest filter."""
    if not subjects(about, "engine"):
        return "", "No design of an engine was measured in this run."
    engines = near_12_bits(about, rows, level, "engine")
    if not engines:
        return "", "No engine's design was measured there."
    few = accurate(engines)
    engine = (few or engines)[0]
    ratio = engine["ns_per_key"] / best["ns_per_key"]
    how = verdict(best, engine)
    by = {"slower": f"**{ratio:.1f} times as long**", "within noise": "the same within noise",
          "faster": f"{1 / ratio:.1f} times as FAST"}[how]
    first = (f"Of the designs of engines {quoted(engine)} is the fastest:" if few else
             f"No design of an engine has so few false positives; {quoted(engine)}, with "
             f"{percent(engine['fpr'])}, takes")
    return how, f"{first} {ns(engine)} ns, {by}."


def sentence(about, rows, level):
    """What is fastest in a memory level."""
    size = nominal_sizes(rows)[level]
    where = heading(about, rows, level, size)
    best, *others = fastest(about, rows, level, *COMPARED) or [None]
    if not best:
        return (f"At {where} none of our filters of at most {percent(MOST_FPR)} FPR was "
                "measured.")
    if "1" in {r.get("disturbed") for r in (best, *others)}:
        return (f"**At {where}, other programs disturbed the times, which name no fastest "
                f"filter.** The least was {ns(best)} ns a key, by {quoted(best)}.")
    ties = [r for r in others if verdict(best, r) == "within noise"]
    after = [r for r in others if verdict(best, r) == "slower"]
    how, engines = said_of_engines(best, about, rows, level)
    most = "the fastest of ours" if how == "faster" else "the fastest"
    first = f"{quoted(best)} is {most}: {ns(best)} ns a key"
    if ties:
        first = (f"{listed([quoted(r) for r in (best, *ties)])} are {most}, level within noise: "
                 f"{ns(best)} to {ns(ties[-1])} ns a key")
    if after:
        ratio = after[0]["ns_per_key"] / best["ns_per_key"]
        first += f"; next is {quoted(after[0])}, {ns(after[0])} ({ratio:.1f} times)"
    larger = min(accurate(r for r in rows if r["memory_level"] == level and
                          near(r, size) and is_standard_lookup(r, about)),
                 key=lambda r: r["ns_per_key"], default=best)
    if verdict(best, larger) == "faster":
        first += f"; with {larger['bits_per_key']:.3g} bits {quoted(larger)} takes {ns(larger)}"
    return (f"**At {where}, 12 bits a key, at most {percent(MOST_FPR)} FPR, {first}.** "
            f"{engines}")


def not_measured(about, rows):
    """Memory levels without filters, and what was measured in other levels alone."""
    here = {level: {r["family"] for r in near_12_bits(about, rows, level, *COMPARED, "engine")}
            for level in LEVELS}
    somewhere, said = set().union(*here.values()), []
    empty = [level for level, found in here.items() if not found]
    if empty:
        said.append(listed(empty))
    engines = {f for f in subjects(about, "engine") if f in somewhere}
    for level, found in here.items():
        missing = somewhere - found
        some = [f"`{f}`" for f in families(rows) if f in missing]
        some += (["every design of an engine"] if engines and engines <= missing else
                 [f"`{f}`" for f in sorted(engines & missing)])
        if found and some:
            said.append(f"in {level} {listed(some)}")
    return f"Not measured in this run: {'; '.join(said)}." if said else ""


def answer(about, rows):
    """Paragraphs, the most important one first."""
    levels = [level for level in SPOKEN if level in nominal_sizes(rows)] or nominal_sizes(rows)
    said = [sentence(about, rows, level) for level in levels]
    if not said:
        return ["No lookups were measured in this run."]
    terms = ("About 12 bits a key; absent keys in batches of 16,384, one thread; the designs of "
             "engines in plain loops.")
    return [*said, " ".join(filter(None, (terms, not_measured(about, rows))))]


def one_key(about, rows, level="L2"):
    """The same beside engines without batches."""
    times = {(r["filter"], r["n_keys"]): r for r in rows
             if (r["op"], r["output"], r["hit_ratio"], r["threads"]) == ("lookup", "single", 0, 1)
             and r["isa"] in (about["best_isa"], "native")}
    best = []
    for roles in (COMPARED, ("engine",)):
        here = [times[key] for r in fastest(about, rows, level, *roles)
                if (key := (r["filter"], r["n_keys"])) in times]
        best.append(min(here, key=lambda r: r["ns_per_key"], default=None))
    if None in best:
        return ""
    ours, engine = best
    return (f"In calls of one key each, in {level}: {quoted(ours)} {ns(ours)} ns, "
            f"{quoted(engine)} {ns(engine)} ns.")
