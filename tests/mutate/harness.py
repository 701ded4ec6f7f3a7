"""Builds and tests one mutant after the other in a copy of the tree, rebuilding what depends on the
changed file alone.

First what is changed is compiled for speed of compiling (kernels at -O0, which takes a tenth of
the release's time) and the quick tests run, one program per test file, until one fails. What
survives is compiled at -O1, compared with the unchanged code's objects, and goes through the slow
tests and, where a kernel may be changed, through the quick ones forced onto each ISA. Only programs
are asked that are linked with something that is changed: all objects are in an archive, of which a
linker takes what it needs."""

import json
import os
import re
import resource
import signal
import subprocess
import threading
import time
from pathlib import Path

from programs import (FASTEST_FIRST, LIBRARIES, LINK, PRECOMPILED, flags_of, in_library,
                      is_kernel, is_test, programs, sources)
from reach import Headers

# Seconds that a group of quick tests takes at most, at -O1; with kernels at -O0 ten times as long.
QUICK_GROUP = 0.15
# What a run of tests may take beside 6 times the seconds that they take on the unchanged library,
# and 25 times with kernels at -O0.
CPU_SECONDS, WALL_FACTOR, MEMORY = 10, 20, 3 << 30
# More affected sources of the library than this are compiled as one.
FEW, UNIT = 12, "src.filters.unit"
# These compare each ISA's kernels with single keys, which no kernel has a part in: what fails with
# one ISA's kernels changed fails with all changed.
ONE_ISA = "isa_identity_test"
ONE_ISA_TESTS = ("BitsAreIdentical", "AnswersAreIdentical", "HashTwins")

# Tests of these files are asked first about a mutant in such a file, or on such a line; then those
# that have the file's name, then the others, those first that are linked with least.
FIRST = [
    (r"growing|stash", ["growing_cuckoo", "growing_limits", "growing_save", "growing_isa"]),
    (r"[Cc]uckoo", ["cuckoo", "isa_identity"]),
    (r"bloomier_saved", ["bloomier_saved"]),
    (r"bloomier|fuse|peeling", ["bloomier_build", "bloomier"]),
    (r"kernels/|split_block|register_blocked|cache_line|classic", ["isa_identity", "interface"]),
    (r"fpr_counting", ["counting", "dleft"]),
    (r"leveldb|compact",
     ["leveldb_policy", "leveldb_filter", "leveldb_library", "leveldb_adapter"]),
    (r"fpr\.", ["fpr_model", "sizing", "spec"]),
    (r"sizing|options", ["sizing", "spec", "cuckoo"]),
    (r"build\.", ["build"]),
    (r"join", ["join"]),
    (r"serialize|saved|frozen|files|little_endian", ["serialize"]),
    (r"storage", ["memory", "serialize", "interface"]),
    (r"set_operations|combine", ["set_operations", "build"]),
    (r"tiers\.", ["dispatch"]),
    (r"kernels_of", ["isa_identity", "dispatch"]),
    (r"layout\.cpp", ["spec", "sizing"]),
    (r"layout\.hpp|hash\.hpp", ["interface", "isa_identity", "serialize"]),
    (r"filter\.hpp|any_filter", ["interface", "set_operations"]),
    (r"filters/filter\.cpp|batches|keyed|hash_bytes", ["isa_identity", "interface", "hashing"]),
]


class Failed(Exception):
    pass


def base_filter(groups, names):
    return ":".join(g for g in groups if any(n in g for n in names))


def memory_of(pid):
    """Resident bytes of a process and its children. Tests map gigabytes that they never touch, so a
    limit on addresses would say nothing."""
    try:
        used = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError):
        return 0
    return used + sum(map(memory_of, children))


def run(command, cwd, seconds, environment=None, cpu_seconds=None, memory=None):
    """(None, output) if it ended well, else (why not, output). Stops it after its time, CPU time or
    memory."""
    def limits():
        if cpu_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with open(Path(cwd) / "output.txt", "w+b") as out:
        process = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, preexec_fn=limits,
                                   start_new_session=True,
                                   env={**os.environ, **(environment or {})})
        waited, last, why, pause = 0.0, time.monotonic(), None, 0.002
        try:
            while process.poll() is None and why is None:
                time.sleep(pause)
                pause = min(0.05, 1.5 * pause)
                # A machine or a group of processes that is stopped is no test that hangs.
                now = time.monotonic()
                waited, last = waited + min(now - last, 0.5), now
                if waited > seconds:
                    why = "hangs"
                elif memory and memory_of(process.pid) > memory:
                    why = "takes memory without end"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # and what a script has left
            except ProcessLookupError:
                pass
            process.wait()
        out.seek(0)
        text = out.read(1 << 20).decode(errors="replace")
    if why is None and process.returncode:
        code = -process.returncode
        why = "fails"
        if code > 0:
            why = "hangs" if code in (signal.SIGXCPU, signal.SIGKILL) else signal.Signals(code).name
    return why, text


def precompile(name, level, folder):
    flags, header, kind = flags_of(name, level, folder)
    if header and not header.exists():
        source = folder / f"{kind}.hpp"  # written once: what is precompiled goes with its date
        if not source.exists():
            source.write_text("".join(f"#include <{h}>\n" for h in PRECOMPILED[kind]))
        subprocess.run(flags + ["-x", "c++-header", source, "-o", header], check=True)


def compile_one(root, source, name, level, out, dependencies, precompiled):
    flags, header, _ = flags_of(name, level, precompiled)
    extra = ["-include-pch", str(header)] if header else []
    extra += ["-MD", "-MF", str(dependencies)] if dependencies else []
    end = subprocess.run(flags + [*extra, "-c", source, "-o", str(out)], cwd=root, timeout=900,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ("fails" if end.returncode else None), end.stdout.decode(errors="replace")


def link(objects, archive, program, folder, libraries, shared=False):
    """What was taken from the archive."""
    command = LINK + (["-shared"] if shared else []) + ["-Wl,--trace", "-o", str(program)]
    end = subprocess.run([*command, *objects, str(archive), *libraries, *LIBRARIES], cwd=folder,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = end.stdout.decode(errors="replace")
    if end.returncode:
        raise Failed("does not link: " + "\n".join(re.findall(r".*error.*", text))[:400])
    return set(re.findall(rf"{re.escape(archive.name)}\((?:.*/)?(.+)\.\d\.o\)", text))


class Base:
    """Objects and dependencies of the unchanged tree."""

    def __init__(self, root, folder, mark, say):
        self.root, self.folder, self.mark, self.say = root, folder, mark, say
        self.sources = sources(root)
        self.programs = programs(self.sources)
        self.unit = [n for n in self.sources if in_library(n)]
        self.headers = Headers(root)
        self.unit_lock = threading.Lock()
        self.groups, self.locks = {}, {name: threading.Lock() for name in self.programs}
        self.folder.mkdir(parents=True, exist_ok=True)

    def object(self, name, level):
        return self.folder / f"{name}.{level if is_kernel(name) else 1}.o"

    def archive(self, level):
        return self.folder / f"all{level}.a"

    def compile_all(self, pool):
        jobs = [(name, level) for name in self.sources
                for level in ((0, 1) if is_kernel(name) else (1,))]
        for name in ("src.tools.main", "src.filters.any_filter", *FASTEST_FIRST):
            for level in (0, 1):
                precompile(name, level, self.folder)

        def one(job):
            name, level = job
            out, dependencies = self.object(name, level), self.folder / f"{name}.d"
            if out.exists() and dependencies.exists():
                made, needs = out.stat().st_mtime, [self.root / p for p in self.read_needs(name)]
                if all(p.exists() and p.stat().st_mtime < made for p in needs):
                    return
            source = self.sources[name]
            why, text = compile_one(self.root, source, name, level, out, dependencies, self.folder)
            if why:
                raise Failed(f"the unchanged {source} does not compile:\n{text[:3000]}")
        list(pool.map(one, jobs))
        self.needs = {name: self.read_needs(name) for name in self.sources}
        for level in (0, 1):
            self.archive(level).unlink(missing_ok=True)
            # No main() that a linker could take in place of GoogleTest's.
            objects = [self.object(n, level) for n in self.sources
                       if not is_test(n) and n != "src.tools.main"]
            subprocess.run(["ar", "rcsT", self.archive(level), *objects], check=True)
        self.reach = dict(pool.map(self.reached, self.programs))

    def unit_source(self):
        """The library but for its kernels as one file, which the unchanged tree can compile."""
        with self.unit_lock:
            source = self.folder / f"unit-{self.mark}.cpp"
            if not source.exists():
                source.write_text("".join(f'#include "{self.sources[n]}"\n' for n in self.unit))
                out = self.folder / "unit.0.o"
                why, text = compile_one(self.root, source, UNIT, 0, out, None, self.folder)
                if why:
                    source.unlink()
                    raise Failed(f"the unchanged library does not compile as one:\n{text[:3000]}")
            return source

    def reached(self, name):
        """(name, the objects that the program is linked with)."""
        program, reach = self.programs[name], set(self.programs[name].roots)
        (self.folder / f"job-{name}").mkdir(exist_ok=True)
        for out, roots, shared in self.parts(program, self.folder / f"job-{name}"):
            objects = [str(self.object(n, 1)) for n in roots]
            reach |= link(objects, self.archive(1), out, self.folder, program.libraries, shared)
            reach |= set(roots)
        return name, reach

    @staticmethod
    def parts(program, folder):
        parts = [(folder / "program", program.roots, program.shared)]
        return parts + ([(folder / "also", [program.also], False)] if program.also else [])

    def read_needs(self, name):
        text = (self.folder / f"{name}.d").read_text().replace("\\\n", " ").split(":", 1)[1]
        return {os.path.normpath(p) for p in text.split() if not p.startswith("/")}

    def affected(self, file):
        """The objects that a change of the file may change."""
        def may(name):
            if file not in self.needs[name]:
                return False
            own = [f for f in self.needs[name] if f.startswith("tests/")]
            return not is_test(name) or self.headers.concerns(file, own)
        return [name for name in self.sources if may(name)]

    def measure(self, name):
        """Whether all tests of a program pass, and the seconds of each group. Once a tree."""
        with self.locks[name]:
            if name in self.groups:
                return
            folder = self.folder / f"job-{name}"
            known = folder / f"groups-{self.mark}.json"
            if not known.exists():
                known.write_text(json.dumps(self.measured(name, folder)))
            self.groups[name] = json.loads(known.read_text())

    def measured(self, name, folder):
        self.reached(name)
        command = self.command(name, folder)
        command = command or ["./program", "--gtest_output=json:times.json", "--gtest_brief=1"]
        began = time.time()
        shell = '"$0" "$@" </dev/null; code=$?; times > cpu.txt; exit $code'
        why, text = run(["bash", "-c", shell, *command], folder, 3600)
        if why:
            raise Failed(f"the unchanged library fails {name}:\n{text[-3000:]}")
        # Other programs slow the clock, not the time on the processor.
        spent = re.findall(r"([\d.]+)m([\d.]+)s", (folder / "cpu.txt").read_text())
        spent = sum(60 * float(m) + float(s) for m, s in spent)
        if self.programs[name].command:
            return {name: spent}
        busy, groups = min(1, spent / (time.time() - began)), {}
        for suite in json.loads((folder / "times.json").read_text())["testsuites"]:
            for test in suite["testsuite"]:
                group = suite["name"] + "." + re.sub(r"/.*", "/*", test["name"])
                groups[group] = groups.get(group, 0) + busy * float(test["time"].rstrip("s"))
        return groups

    def command(self, name, folder):
        command = self.programs[name].command
        names = {"program": folder / "program", "folder": folder, "also": folder / "also"}
        return [re.sub(r"\{(\w+)\}", lambda m: str(names[m[1]]), part) for part in command or []]

    def split(self, name):
        """(filter of the quick tests or None, of the slow ones or None)."""
        self.measure(name)
        quick = [g for g, t in self.groups[name].items() if t <= QUICK_GROUP]
        slow = [g for g, t in self.groups[name].items() if t > QUICK_GROUP]
        return ":".join(quick) or None, ":".join(slow) or None

    def order(self, where, affected):
        """The programs that are linked with one of these objects."""
        stem = Path(where.split(":")[0]).stem
        asked = next((names for pattern, names in FIRST if re.search(pattern, where)), [])
        asked = [f"{n}_test" for n in asked]

        def place(name):
            rank = asked.index(name) if name in asked else 98 if name.startswith(stem) else 99
            return rank, len(self.reach[name]), name
        return sorted((n for n in self.programs if self.reach[n] & set(affected)), key=place)
