"""What two records differ in."""


def compare(old, new):
    """Verdicts that changed, and how many claims have the very same samples."""
    before = {entry["id"]: entry for entry in old["claims"]}
    lines, same, both = [], 0, 0
    for entry in new["claims"]:
        then = before.pop(entry["id"], None)
        if then is None:
            lines.append(f"{entry['id']}: not in the other record")
            continue
        both += 1
        same += then["samples"] == entry["samples"]
        if then["verdict"] != entry["verdict"]:
            lines.append(f"{entry['id']}: {then['verdict']} then, {entry['verdict']} now")
    lines += [f"{identity}: only in the other record" for identity in before]
    lines.append(f"{same} of {both} claims have the same samples, number by number, as on "
                 f"{old['provenance']}.")
    return "\n".join(lines)
