"""What two records differ in."""


def takes_times(entry):
    return any("ns" in sample for sample in entry["samples"])


def compare(old, strange, new):
    """Verdicts that changed, and how many claims without times have the very same samples.
    `strange` are entries of the old record that today's claims do not have."""
    before = {entry["id"]: entry for entry in old["claims"]}
    lines, same, both = [], 0, 0
    for entry in new["claims"]:
        then = before.pop(entry["id"], None)
        if then is None:
            lines.append(f"{entry['id']}: not in the other record")
            continue
        if then["verdict"] != entry["verdict"]:
            lines.append(f"{entry['id']}: {then['verdict']} then, {entry['verdict']} now")
        if not takes_times(entry):
            both += 1
            same += then["samples"] == entry["samples"]
    lines += [f"{name}: today's claim has another probe or set-up, or is gone" for name in strange]
    if before:
        lines.append(f"{len(before)} claims of the other record were not run.")
    lines.append(f"{same} of {both} claims without times have the same samples, number by number, "
                 f"as on {old['provenance']}.")
    return "\n".join(lines)
