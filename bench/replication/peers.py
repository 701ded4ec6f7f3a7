"""`bench/replicate --peer FILE.so`: another library's filter (bench/peers) beside ours, by the
rules for claims: rates over five seeds, ratios of times over five processes."""
from prober import Failed, Lacking, around, fault
from table import number
from verdicts import PROCESSES, interval, noise

from cells import markdown_table

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


def samples_of(probe, setup, prober):
    """The samples, and why they judge nothing."""
    timed = probe == "peer_times"
    before = prober.look()
    samples = [{**sample, "process": process} for process in range(PROCESSES if timed else 1)
               for sample in prober.samples(probe, setup)]
    if not samples:
        raise Failed([probe], "it ended the process that measured it")
    return samples, timed and (fault(around(before, prober.look())) or noise(samples))


def compare(files, prober):
    """The table of the peers, and the exit code: 1 if one was left out, 3 if a time was disturbed.
    What a peer cannot have is a row that says so."""
    body, status = [], 0
    for file in files:
        for what, probe, setup in cases():
            try:
                samples, why = samples_of(probe, {"peer": file, **setup}, prober)
            except Lacking as error:
                body.append([file, what, error.why])
                continue
            except Failed as error:  # each further case might hang for five minutes
                body.append([file, "left out", error.why])
                status = 1
                break
            value, low, high = interval(samples)
            status = status or 3 * bool(why)
            if probe == "peer_fpr":
                what += f", {samples[0]['bits_per_key']:g} bits a key"
            body.append([file, what, f"{number(value)} [{number(low)}, {number(high)}]"
                         + (f": {why}" if why else "")])
    return markdown_table(["peer", "what", "value, 90 % interval"], body), status
