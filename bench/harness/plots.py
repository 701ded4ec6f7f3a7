"""The plots of report.html, each returned as inline SVG."""
import io

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text: small files, no fonts fetched
matplotlib.rcParams["svg.hashsalt"] = "simdbloom"
import matplotlib.pyplot as plt

import rows as select


def colours(about):
    return {subject["name"]: subject["colour"] or None for subject in about["subjects"]}


def svg(figure):
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    text = out.getvalue()
    return text[text.index("<svg"):]


def spread(rows, middle, low, high):
    """How far the interval reaches below and above, for error bars."""
    return [[max(0, r[middle] - r[low]) for r in rows], [max(0, r[high] - r[middle]) for r in rows]]


def time_against_size(about, rows):
    figure, axes = plt.subplots(figsize=(10, 5.5))
    for family in select.families(rows):
        points, wanted = {}, select.fewest_bits(about, family) or 12
        for r in rows:
            if (r["family"] == family and select.is_standard_lookup(r, about)
                    and abs(r["bits_per_key"] - wanted) < 0.6):
                points.setdefault(r["filter_bytes"], r)
        if len(points) > 1:
            x = sorted(points)
            y = [points[b] for b in x]
            axes.errorbar(x, [r["ns_per_key"] for r in y],
                          yerr=spread(y, "ns_per_key", "ns_low", "ns_high"), label=family,
                          color=colours(about)[family], marker="o", markersize=3, capsize=2)
    for level, bytes_ in about["levels"].items():
        axes.axvline(bytes_, color="#bbb", linestyle="--", linewidth=1)
        axes.text(bytes_, 1.01, level, transform=axes.get_xaxis_transform(), ha="center",
                  color="#666")
    axes.set(xscale="log", yscale="log", xlabel="filter size in bytes",
             ylabel=f"ns per absent key ({about['best_isa']})")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8, ncol=2)
    axes.grid(alpha=.3)
    return svg(figure)


def fpr_against_bits(about, rows):
    figure, axes = plt.subplots(figsize=(10, 5.5))
    for subject in about["subjects"]:
        if "model" in subject and subject["filters"]:
            axes.plot(*zip(*subject["model"]), color=subject["colour"], linewidth=1)
    for family in select.families(rows):
        # Filters of many keys: small ones follow the finite model, not the line.
        points = {(r["bits_per_key"], r["fpr"]): r for r in rows
                  if r["family"] == family and r["n_keys"] > 50_000 and r["fpr"] > 0}.values()
        if points:
            axes.errorbar([r["bits_per_key"] for r in points], [r["fpr"] for r in points],
                          yerr=spread(points, "fpr", "fpr_low", "fpr_high"), fmt="o",
                          markersize=3.5, capsize=2, label=family, color=colours(about)[family])
    axes.set(yscale="log", xlabel="bits per key", xlim=(6, 24.5),
             ylabel="false-positive rate (points: measured; lines: exact model)")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8, ncol=2)
    axes.grid(alpha=.3)
    return svg(figure)


def time_against_fpr(about, rows):
    sizes = select.nominal_sizes(rows)
    columns = max(1, len(sizes))
    figure, all_axes = plt.subplots(1, columns, figsize=(4 * columns, 4.2), squeeze=False)
    for axes, (level, bytes_) in zip(all_axes[0], sizes.items()):
        for family, r in select.at_12_bits(rows, level, bytes_, about).items():
            if abs(r["bits_per_key"] - 12) > 0.7 or r["fpr"] <= 0:
                continue
            axes.plot(r["fpr"], r["ns_per_key"], "o", color=colours(about)[family])
            axes.annotate(family, (r["fpr"], r["ns_per_key"]), fontsize=7, xytext=(3, 3),
                          textcoords="offset points")
        axes.set(xscale="log", yscale="log", xlabel="false-positive rate",
                 title=f"{select.size(bytes_)} ({level}), 12 bits/key")
        axes.grid(alpha=.3)
    all_axes[0][0].set_ylabel("ns per absent key")
    figure.tight_layout()
    return svg(figure)
