"""Cycles a key of lookups: predicted by llvm-mca, and for this CPU measured too. bench/predict runs
it and has built what it takes.

usage: predict.py FOLDER PROVENANCE

FOLDER has lookups-aarch64 and lookups-x86-64, bench/prediction/lookups.cpp of the two.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SPECS = ["register64:k=5", "split256", "sector512", "zoned512:z=2,k=6", "blocked512:k=8",
         "classic:k=8", "cuckoo12", "dleft14"]
# Of two batches, what the second takes more than the first is the steady state.
KEYS = (128, 256)
ARM = {"Neoverse N1": "neoverse-n1", "Neoverse V1": "neoverse-v1", "Neoverse V2": "neoverse-v2",
       "Apple (Cyclone)": "apple-m4"}
# LLVM 19 gives a Zen 5 this model too.
X86 = "znver4"
TYPES = {"neon": "xsimd::neon64", "avx2": "xsimd::avx2"}


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench/predict: {' '.join(command[:6])}: {done.stderr[-2000:]}")
    return done.stdout


def lookup_functions(symbols, isa):
    """The first and the last address of each lookup kernel of an ISA, from what `nm -C -S` printed.
    """
    name = f"::lookup<simdbloom::detail::(anonymous namespace)::Ops<{TYPES[isa]}>,"
    words = [line.split(maxsplit=2) for line in symbols.splitlines() if name in line]
    return sorted((int(at, 16), int(at, 16) + int(size, 16) - 1) for at, size, _ in words)


def instructions(disassembly):
    """Address: instruction, from what llvm-objdump printed. A branch goes nowhere: llvm-mca reads a
    trace, in which the next instruction follows."""
    text_at = {}
    for line in disassembly.splitlines():
        m = re.match(r"\s*([0-9a-f]+):\s+(\S.*)", line)
        if not m:
            continue
        words = re.sub(r"\s*(<.*|//.*|# .*)$", "", m[2]).replace("\t", " ")
        if re.match(r"(b|b\.\w+|cbn?z|tbn?z|adrp?|j\w+) ", words):
            words = re.sub(r"0x[0-9a-f]+$", "0", words)
        text_at[int(m[1], 16)] = words
    return text_at


def qemu_trace(log):
    """The addresses in a log of `qemu-aarch64 -singlestep -d exec,nochain`."""
    return [int(m[1], 16) for m in re.finditer(r"^Trace [^[]*\[[^/]*/([0-9a-f]+)/", log, re.M)]


def total_cycles(report):
    return int(re.search(r"^Total Cycles:\s+(\d+)", report, re.M)[1])


class Program:
    def __init__(self, folder, machine):
        self.path = os.path.join(folder, f"lookups-{machine}")
        self.folder = folder
        self.symbols = run("llvm-nm-19", "-C", "-S", self.path)
        self.arm = machine == "aarch64"
        self.text_at = {}

    def trace(self, isa, spec, keys):
        """The instructions of one batch's lookup."""
        functions = lookup_functions(self.symbols, isa)
        if self.arm:
            log = os.path.join(self.folder, "trace.log")
            run("qemu-aarch64", "-singlestep", "-d", "exec,nochain", "-D", log, "-dfilter",
                ",".join(f"{low:#x}..{high:#x}" for low, high in functions),
                self.path, "once", isa, spec, str(keys))
            with open(log, encoding="utf-8") as f:
                addresses = qemu_trace(f.read())
        else:
            low, high = functions[0][0], max(last for _, last in functions)
            printed = run(self.path, "trace", isa, spec, str(keys), f"{low:x}", f"{high + 1:x}")
            addresses = [int(line, 16) for line in printed.split()]
        if not addresses:
            sys.exit(f"bench/predict: {isa}: {spec}: no kernel of this ISA ran")
        home = [(low, high) for low, high in functions if low <= addresses[0] <= high]
        if not home or not home[0][0] <= min(addresses) <= max(addresses) <= home[0][1]:
            sys.exit(f"bench/predict: {isa}: {spec}: the lookup is not one function")
        low, high = home[0]
        if low not in self.text_at:
            self.text_at[low] = instructions(
                run("llvm-objdump-19", "-d", "--no-show-raw-insn", f"--start-address={low:#x}",
                    f"--stop-address={high + 1:#x}", self.path))
        return [self.text_at[low][at] for at in addresses]

    def predicted(self, isa, spec, cpus):
        """Instructions a key, and cycles a key on each CPU."""
        few, many = ("\n".join(self.trace(isa, spec, keys)) + "\n" for keys in KEYS)
        more = KEYS[1] - KEYS[0]
        with ThreadPoolExecutor() as pool:
            of_few = pool.map(lambda cpu: self.cycles(cpu, few), cpus)
            of_many = pool.map(lambda cpu: self.cycles(cpu, many), cpus)
        return ([(many.count("\n") - few.count("\n")) / more] +
                [(high - low) / more for low, high in zip(of_few, of_many)])

    def cycles(self, cpu, trace):
        triple = "aarch64-linux-gnu" if self.arm else "x86_64-linux-gnu"
        return total_cycles(run("llvm-mca-19", f"-mtriple={triple}", f"-mcpu={cpu}",
                                "-iterations=1",
                                "-instruction-info=false", "-resource-pressure=false", "-",
                                text=trace))


def main(folder, provenance):
    arm, x86 = Program(folder, "aarch64"), Program(folder, "x86-64")
    measured = [float(line) for line in run(x86.path, "time", "avx2", *SPECS).split()]
    head = ["filter", "instructions a key", *ARM, "error with AVX2, predicted : measured"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for spec, cycles in zip(SPECS, measured):
        row = [f"{x:.1f}" for x in arm.predicted("neon", spec, ARM.values())]
        error = x86.predicted("avx2", spec, [X86])[1] / cycles
        print(f"| `{spec}` | " + " | ".join([*row, f"{error:.2f}"]) + " |")
    version = re.search(r"LLVM version (\S+)", run("llvm-mca-19", "--version"))[1]
    print(f"\nPredicted by llvm-mca of LLVM {version}; measured on {provenance}. "
          "By `bench/predict`.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
