"""Whether other programs disturbed a measurement: what the system and its memory did around it."""
import os
import time
from dataclasses import dataclass

from tolerances import VALUES


@dataclass
class Look:
    """At the machine at one moment; seconds since it started but for `load`."""
    wall: float
    busy: float   # of all CPUs, by all programs
    own: float    # by this program and those it ran
    steal: float  # that a hypervisor gave to others
    load: float   # programs that ran or waited, the mean of a minute
    cpus: int
    lines: float = 0.0  # millions of random lines a second

    @classmethod
    def now(cls, lines=0.0):
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _, _, irq, softirq, steal, *_ = (
                int(word) / os.sysconf("SC_CLK_TCK") for word in file.readline().split()[1:])
        return cls(time.monotonic(), user + nice + system + irq + softirq, sum(os.times()[:4]),
                   steal, os.getloadavg()[0], os.cpu_count(), lines)


def around(before, after):
    """What a record keeps of the two looks."""
    seconds = max(after.wall - before.wall, 1e-9) * after.cpus
    others = (after.busy - before.busy) - (after.own - before.own)
    return {"load": [before.load, after.load],
            "others": round(max(0.0, others) / seconds, 4),
            "steal": round((after.steal - before.steal) / seconds, 4),
            "lines": [before.lines, after.lines]}


def fault(seen):
    """Why the times between two looks judge nothing; empty if they may. Without other programs the
    load is at most 1 of our own."""
    if not seen:
        return "nobody looked at the machine"
    if seen["others"] > VALUES["most_others"]:
        return f"other programs took {100 * seen['others']:.0f} % of all CPUs"
    if seen["steal"] > VALUES["most_steal"]:
        return f"the hypervisor took {100 * seen['steal']:.0f} % of all CPUs"
    slow, fast = sorted(seen["lines"])
    if slow * VALUES["most_noise"] < fast:
        return f"random lines went from {seen['lines'][0]:.0f} to {seen['lines'][1]:.0f} million/s"
    return ""
