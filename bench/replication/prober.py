"""The program that measures: bench/replication/main.cpp."""
import json
import subprocess

from claim_files import ROOT
from disturbance import Look

# The limit on a probe, in seconds.
LONGEST = 1800


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
