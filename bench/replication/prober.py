"""The program that measures, bench/replication/main.cpp, and whether others disturbed it."""
import json
import os
import subprocess
import time
from dataclasses import dataclass

from claim_files import ROOT
from tolerances import VALUES

# The limit on a probe, in seconds.
LONGEST = 1800


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


class Failed(Exception):
    """A probe gave no samples. `why` is what it said, without the set-up."""
    def __init__(self, arguments, why):
        super().__init__(f"{' '.join(arguments)}: {why}")
        self.why = why.rpartition(": ")[2]


class Lacking(Failed):
    """The filter cannot have what the set-up asks for."""


class Prober:
    def __init__(self, program):
        self.program = program
        self.offers = json.loads(self.output("--offers"))

    def output(self, *arguments):
        try:
            end = subprocess.run([self.program, *arguments], capture_output=True, text=True,
                                 timeout=LONGEST, cwd=ROOT)
        except OSError as error:
            raise Failed([str(self.program)], error.strerror) from None
        except subprocess.TimeoutExpired:
            raise Failed(arguments, f"took more than {LONGEST} s") from None
        if end.returncode:
            raise (Lacking if end.returncode == 4 else Failed)(
                arguments, end.stderr.strip() or f"ended with {end.returncode}")
        return end.stdout

    def samples(self, probe, setup):
        lines = self.output(probe, *(f"{name}={value}" for name, value in setup.items()))
        # Another library's filter (--peer) may print to the same stream.
        for line in lines.splitlines():
            if not line.startswith("{"):
                raise Failed([probe], f"printed what is no sample, {line[:80]!r}")
        return [json.loads(line) for line in lines.splitlines()]

    def missing(self, claim):
        """What this machine lacks for the claim."""
        return [need for need in claim.needs if need not in self.offers["offers"]]

    def is_timed(self, claim):
        return claim.probe in self.offers["timed"]

    def look(self):
        """Memory first: its loop is part of neither look."""
        lines = float(self.output("--memory"))
        return Look.now(lines)
