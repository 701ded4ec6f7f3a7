"""The measured tables of README.md and bench/pages/, and TABLES, the list of every table by its
name: a table is a function of a Run that gives Markdown."""
from cells import bits, cell, fpr, interval, markdown_table, model, name, ns, time_and_ratio
from rows import fewest_bits, main_subjects, size
from run import LEVELS

TABLES = {}


def table(of):
    def register(function):
        TABLES[of] = function
        return function
    return register


def lookup_times(run, families, levels):
    """A row for each filter, a column for each level. The FPRs are those of the L3 size."""
    body = []
    for family in families:
        rows = {level: run.at(family, level) for level in LEVELS}
        first = next((r for r in rows.values() if r), None)
        in_l3 = rows["L3"]
        body.append([name(first, family), bits(in_l3), fpr(in_l3), model(in_l3)]
                    + [time_and_ratio(rows[level]) for level in levels])
    return markdown_table(["filter", "bits/key", "FPR measured", "exact model"]
                          + [run.heading(level) for level in levels], body)


@table("results")
def results(run):
    return lookup_times(run, run.ours + run.peers, LEVELS)


@table("summary")
def summary(run):
    """Of `results` what the README has room for."""
    return lookup_times(run, main_subjects(run.about) + run.peers, ("L2", "DRAM"))


@table("words")
def words(run):
    body = []
    for family in run.ours + run.peers:
        wanted = max(12, fewest_bits(run.about, family))
        row = min(run.lookups(family), key=lambda r: abs(r["bits_per_key"] - wanted), default=None)
        if row and abs(row["bits_per_key"] - wanted) > 0.3:
            row = None
        # The peers hash the line inside the timed call: their time is more than a lookup.
        hashed = row and family in run.peers
        body.append([name(row, family), bits(row),
                     cell(lambda r: f"{size(r['filter_bytes'])} ({r['memory_level']})", row),
                     fpr(row), interval(row), model(row),
                     f"hashing included: {ns(row)}" if hashed else time_and_ratio(row)])
    inserted = f"{run.rows[0]['n_keys']:,.0f} of them inserted, the others probed"
    return (f"Keys: {run.keys}; {inserted}.\n\n"
            + markdown_table(["filter", "bits/key", "size", "FPR measured", "95 % interval",
                              "exact model", "ns/key (ratio to `touch`)"], body))
