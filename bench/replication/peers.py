"""`bench/replicate --peer FILE.so`: another library's filter (bench/peers) beside ours, by the
rules for claims: rates over five seeds, ratios of times over five processes."""
from disturbance import around, fault
from table import header, number, row
from verdicts import PROCESSES, interval, noise

BESIDE, KEYS = "split256", 1_000_000


def cases():
    """What is asked, and the set-up of it."""
    for hashes in (0, 1):
        what = ", given hashes" if hashes else ""
        own = {"keys": KEYS, "hashes": hashes}
        yield f"FPR{what}", "peer_fpr", {**own, "bits_per_key": 12}
        for way in ("single", "bitmap"):
            for text, size in (("made for 12 bits a key", {"bits_per_key": 12}),
                               ("an FPR of 1 %", {"fpr": 0.01})):
                yield (f"time over that of {BESIDE}, {way}, {text}{what}", "peer_times",
                       {**own, **size, "way": way, "beside": BESIDE})


class Failed(Exception):
    """What a probe says that cannot do what it is asked."""


class Broken(Failed):
    """What is wrong with the object itself, which may have taken five minutes to find."""


def fail(text):
    raise (Broken if "--peer" in text else Failed)(text.rsplit(": ", 1)[-1])


def samples_of(probe, setup, prober):
    """The samples, and why they judge nothing."""
    if probe == "peer_fpr":
        return prober.samples(probe, setup, fail=fail), ""
    before = prober.look()
    samples = [{**sample, "process": process} for process in range(PROCESSES)
               for sample in prober.samples(probe, setup, fail=fail)]
    return samples, fault(around(before, prober.look())) or noise(samples)


def compare(files, prober):
    """The table of the peers, and whether a time was disturbed. What a peer cannot do is a row that
    says so."""
    lines, disturbed = header(["peer", "what", "value, 90 % interval"]), False
    for file in files:
        for what, probe, setup in cases():
            try:
                samples, why = samples_of(probe, {"peer": file, **setup}, prober)
            except Broken as error:
                lines.append(row([file, "left out", str(error)]))
                break
            except Failed as error:
                lines.append(row([file, what, str(error)]))
                continue
            value, low, high = interval(samples)
            disturbed |= bool(why)
            if probe == "peer_fpr":
                what += f", {samples[0]['bits_per_key']:g} bits a key"
            lines.append(row([file, what, f"{number(value)} [{number(low)}, {number(high)}]"
                              + (f": {why}" if why else "")]))
    return "\n".join(lines), disturbed
