"""Builds and tests one mutant after the other in a copy of the tree, rebuilding what depends on the changed file alone.

First everything is compiled for speed of compiling (kernels at -O0, which takes a tenth of the release's time) and the quick
tests run, one program per test file, until one fails. What survives is compiled at -O1, compared with the unchanged code's
objects, and goes through the slow tests and, where a kernel may be changed, through the quick ones forced onto each ISA."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import areas

AVX2 = ["-msse4.2", "-mpopcnt", "-mavx2", "-mbmi", "-mbmi2"]
AVX512 = AVX2 + ["-mavx512f", "-mavx512cd", "-mavx512dq", "-mavx512bw", "-mavx512vl"]
# As CMakeLists.txt has them.
ISA_FLAGS = {"scalar": [], "sse42": AVX2[:2], "avx2": AVX2, "avx512": AVX512, "avx512bitalg": AVX512 + ["-mavx512vbmi", "-mavx512bitalg"]}
# Kernels are not flattened: that takes most of the release's time.
COMPILE = ["clang++", "-std=c++20", "-w", "-DSIMDBLOOM_KERNEL=", f'-DSIMDBLOOM_GOLDEN_FOLDER="{Path(__file__).resolve().parents[1]}/golden"', "-Iinclude", "-Isrc", "-I/usr/include/cpu_features"]
LIBRARIES = ["-lgtest", "-lgtest_main", "-lcpu_features", "-lsodium", "-lnettle", "-lmurmurhash", "-lpthread"]
FASTEST_FIRST = ["avx2", "avx512bitalg", "scalar", "avx512", "sse42"]  # to compile, and the most likely to see something
FORCED = ["scalar", "sse42", "avx2", "avx512"]
QUICK_GROUP = 0.15  # seconds that a group of quick tests takes at most, at -O1; with kernels at -O0 it is ten times as long
# What a run of tests may take beside 25 times the seconds that they take on the unchanged library at -O1.
CPU_SECONDS, WALL_FACTOR, MEMORY = 10, 20, 3 << 30
# These compare each ISA's kernels with single keys, which no kernel has a part in: what fails with one ISA's kernels changed
# fails with all changed.
ONE_ISA, ONE_ISA_TESTS = "isa_identity_test", ("BitsAreIdentical", "AnswersAreIdentical", "HashTwins")

# What the objects of one kind include and no mutant changes, parsed once.
PRECOMPILED = {
    "kernel": ["xsimd/xsimd.hpp", "immintrin.h", "utility", "cstring", "string", "concepts", "span"],
    "test": ["gtest/gtest.h", "algorithm", "array", "barrier", "cmath", "concepts", "cstring", "filesystem", "fstream", "functional", "memory_resource", "optional",
             "span", "string", "thread", "variant", "vector"],
}

# Tests of these files are asked first about a mutant in such a file, or on such a line; the others follow, the fastest first.
FIRST = [
    (r"[Cc]uckoo", ["cuckoo", "isa_identity"]),
    (r"bloomier|fuse|peeling", ["bloomier"]),
    (r"kernels/|split_block|register_blocked|cache_line|classic", ["isa_identity", "interface"]),
    (r"fpr\.", ["fpr_model", "sizing", "spec"]),
    (r"sizing|options", ["sizing", "spec", "cuckoo"]),
    (r"build\.", ["build"]),
    (r"serialize|saved|frozen|files", ["serialize"]),
    (r"storage", ["memory", "serialize", "interface"]),
    (r"set_operations|combine", ["set_operations", "build"]),
    (r"select\.cpp", ["dispatch"]),
    (r"kernels_of", ["isa_identity", "dispatch"]),
    (r"layout\.cpp", ["spec", "sizing"]),
    (r"layout\.hpp|hash\.hpp", ["interface", "isa_identity", "serialize"]),
    (r"filter\.hpp|any_filter", ["interface", "set_operations"]),
    (r"filters/filter\.cpp", ["isa_identity", "interface", "serialize"]),
]


def sources(root):
    """Name of an object -> its source."""
    found = {}
    for part in ("cpu", "filters", "isa", "join"):
        for path in sorted((root / "src" / part).glob("*.cpp")):
            if path.stem != "neon":
                found[path.stem] = path.relative_to(root).as_posix()
    for path in sorted((root / "tests").glob("*_test.cpp")):
        # Not those that link with more than the library: the harness, or an adapter.
        if not re.match(r"bench_|leveldb_(library|policy|adapter)_|parquet_|rocksdb_", path.stem):
            found[path.stem] = path.relative_to(root).as_posix()
    return found


def base_filter(groups, names):
    return ":".join(g for g in groups if any(n in g for n in names))


def units(found):
    """Sources that are compiled as one where most of them are affected: those that are mutated, and the others. The names that a file keeps
    for itself must be its own among them."""
    together = {"mutated": [], "others": []}
    for name, path in found.items():
        if not is_kernel(name) and not is_test(name):
            together["mutated" if areas.area_of(path) else "others"].append(name)
    return together


def is_kernel(name):
    return name in ISA_FLAGS


def is_test(name):
    return name.endswith("_test")


class Failed(Exception):
    pass


def run(command, cwd, seconds, environment=None, cpu_seconds=None, memory=None):
    """(None, output) if it ended well, else (why not, output). Stops it after its time, CPU time or memory."""
    def limits():
        if cpu_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with open(Path(cwd) / "output.txt", "w+b") as out:
        process = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT, preexec_fn=limits, start_new_session=True,
                                   env={**os.environ, **(environment or {})})
        waited, last, why = 0.0, time.monotonic(), None
        try:
            while process.poll() is None and why is None:
                time.sleep(0.02)
                # A machine or a group of processes that is stopped for a while is no test that hangs.
                now = time.monotonic()
                waited, last = waited + min(now - last, 0.5), now
                if waited > seconds:
                    why = "hangs"
                elif memory:
                    # The resident memory: tests map gigabytes that they never touch, so a limit on addresses says nothing.
                    try:
                        used = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096
                    except (OSError, IndexError):
                        used = 0
                    if used > memory:
                        why = "takes memory without end"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        out.seek(0)
        text = out.read(1 << 20).decode(errors="replace")
    if why is None and process.returncode:
        code = -process.returncode
        why = ("hangs" if code == signal.SIGXCPU or code == signal.SIGKILL else signal.Signals(code).name) if code > 0 else "fails"
    return why, text


class Base:
    """Objects and dependencies of the unchanged tree."""

    def __init__(self, root, folder, say):
        self.root, self.folder, self.say = root, folder, say
        self.sources = sources(root)
        self.units = units(self.sources)
        self.tests = [name for name in self.sources if is_test(name)]
        self.folder.mkdir(parents=True, exist_ok=True)

    def object(self, name, level):
        return self.folder / f"{name}.{level}.o"

    def compile_all(self, pool):
        jobs = [(name, level) for name in self.sources for level in ((0, 1) if is_kernel(name) else (1,))]

        for name in ("any_filter", *ISA_FLAGS):
            for level in (0, 1):
                precompile(name, level, self.folder)

        def one(job):
            name, level = job
            dependencies = self.folder / f"{name}.d"
            if self.object(name, level).exists() and dependencies.exists():
                made = self.object(name, level).stat().st_mtime
                if all((self.root / p).exists() and (self.root / p).stat().st_mtime < made for p in self.read_needs(name)):
                    return
            why, text = compile_one(self.root, self.sources[name], name, level, self.object(name, level), self.folder / f"{name}.d", self.folder / f"job-{name}-{level}", self.folder)
            if why:
                raise Failed(f"the unchanged {self.sources[name]} does not compile:\n{text}")
        list(pool.map(one, jobs))
        self.needs = {name: self.read_needs(name) for name in self.sources}

    def read_needs(self, name):
        text = (self.folder / f"{name}.d").read_text().replace("\\\n", " ").split(":", 1)[1]
        return {os.path.normpath(p) for p in text.split() if not p.startswith("/")}

    def affected(self, file):
        return [name for name in self.sources if file in self.needs[name]]

    def objects(self, own, level):
        """Objects of the library, those in `own` in place of the unchanged ones; a unit of them replaces its sources."""
        replaced = {name for unit, names in self.units.items() if unit in own for name in names}
        names = [n for n in self.sources if not is_test(n) and n not in replaced] + [unit for unit in self.units if unit in own]
        return [str(own.get(name) or self.object(name, level if is_kernel(name) else 1)) for name in names]

    def measure(self, pool):
        """Whether all tests pass, and which groups of them are quick."""
        def one(name):
            folder = self.folder / f"job-{name}"
            folder.mkdir(exist_ok=True)
            link(self.objects({}, 1) + [str(self.object(name, 1))], folder / "program", folder)
            began = time.time()
            why, text = run(["bash", "-c", "./program --gtest_output=json:times.json --gtest_brief=1; code=$?; times > cpu.txt; exit $code"], folder, 3600)
            if why:
                raise Failed(f"the unchanged library fails {name}:\n{text[-3000:]}")
            # Other programs slow the clock, not the time on the processor.
            minutes_seconds = re.findall(r"([\d.]+)m([\d.]+)s", (folder / "cpu.txt").read_text())
            busy = min(1, sum(60 * float(m) + float(s) for m, s in minutes_seconds) / (time.time() - began))
            groups = {}
            for suite in json.loads((folder / "times.json").read_text())["testsuites"]:
                for test in suite["testsuite"]:
                    group = suite["name"] + "." + re.sub(r"/.*", "/*" if "/" in test["name"] else "", test["name"])
                    groups[group] = groups.get(group, 0) + busy * float(test["time"].rstrip("s"))
            return name, groups
        self.groups = dict(pool.map(one, self.tests))

    def split(self, name):
        """(filter of the quick tests or None, of the slow ones or None)."""
        quick = [g for g, t in self.groups[name].items() if t <= QUICK_GROUP]
        slow = [g for g, t in self.groups[name].items() if t > QUICK_GROUP]
        return ":".join(quick) or None, ":".join(slow) or None

    def order(self, where):
        first = next((names for pattern, names in FIRST if re.search(pattern, where)), [])
        rest = sorted(self.tests, key=lambda name: sum(t for t in self.groups[name].values() if t <= QUICK_GROUP))
        named = [f"{n}_test" for n in first if f"{n}_test" in self.groups]
        return named + [name for name in rest if name not in named]


def flags_of(name, level, precompiled):
    """How `name` is compiled, and its precompiled header: where it is, and of what kind."""
    flags = COMPILE + [f"-O{level}"] + (["-fno-exceptions"] + ISA_FLAGS[name] if is_kernel(name) else [])
    if not is_kernel(name):
        return flags, precompiled / f"other.{level}.pch", "test"
    # Scalar code includes none of it.
    return flags, precompiled / f"{name}.{level}.pch" if name != "scalar" else None, "kernel"


def precompile(name, level, folder):
    flags, header, kind = flags_of(name, level, folder)
    if header and not header.exists():
        source = folder / f"{kind}.hpp"  # written once: what is precompiled goes with its date
        if not source.exists():
            source.write_text("".join(f"#include <{h}>\n" for h in PRECOMPILED[kind]))
        subprocess.run(flags + ["-x", "c++-header", source, "-o", header], check=True)


def compile_one(root, source, name, level, out, dependencies, folder, precompiled):
    folder.mkdir(parents=True, exist_ok=True)
    flags, header, _ = flags_of(name, level, precompiled)
    extra = (["-include-pch", str(header)] if header else []) + (["-MD", "-MF", str(dependencies)] if dependencies else [])
    command = flags + [*extra, "-c", source, "-o", str(out)]
    end = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
    return ("fails" if end.returncode else None), end.stdout.decode(errors="replace")


def link(objects, program, folder):
    end = subprocess.run(["clang++", "-fuse-ld=lld", "-O0", "-o", str(program), *objects, *LIBRARIES], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if end.returncode:
        raise Failed("does not link: " + end.stdout.decode(errors="replace")[:400])


class Worker:
    """One copy of the tree, in which one mutant at a time is built and tested."""

    def __init__(self, base, folder):
        self.base, self.folder, self.tree = base, folder, folder / "tree"
        shutil.rmtree(folder, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for part in ("include", "src"):
            shutil.copytree(base.root / part, self.tree / part)
        (self.tree / "tests").mkdir()
        for unit, names in base.units.items():
            (self.tree / f"{unit}.cpp").write_text("".join(f'#include "{base.sources[n]}"\n' for n in names))
        for path in [*(base.root / "tests").glob("*.?pp"), *(base.root / "tests").glob("golden*")]:
            shutil.copytree(path, self.tree / "tests" / path.name) if path.is_dir() else shutil.copy(path, self.tree / "tests")
        if verdict := self.compile(list(base.units), 0, {}):
            raise Failed(f"the unchanged sources do not compile as one: {verdict[1]}")

    def judge(self, changes, where, first=None):
        """`changes`: file -> new text. (verdict, by what); verdicts: killed, survived, same code, not compiled. `first`: (test file,
        group) that is asked before all others."""
        before = {file: (self.tree / file).read_text() for file in changes}
        try:
            for file, text in changes.items():
                (self.tree / file).write_text(text)
            return self.built_and_tested(list(changes), where, first)
        finally:
            for file, text in before.items():
                (self.tree / file).write_text(text)

    def compile(self, names, level, own):
        for name in names:
            out = self.folder / f"{name}.{level}.o"
            try:
                why, text = compile_one(self.tree, self.base.sources.get(name, f"{name}.cpp"), name, level, out, None, self.folder, self.base.folder)
            except subprocess.TimeoutExpired:
                why, text = "fails", "the compiler takes too long"
            if why:
                return "not compiled", next((line for line in text.splitlines() if "error" in line), text[:200])
            own[name] = out
        return None

    def built_and_tested(self, files, where, first):
        base, own = self.base, {}
        affected = sorted({name for file in files for name in base.affected(file)})
        library, tests = [n for n in affected if not is_test(n)], [n for n in affected if is_test(n)]
        kernels = [n for n in FASTEST_FIRST if n in library]
        if kernels == library:
            verdict = self.one_isa_after_the_other(kernels, own)
        elif kernels or tests:
            # A header that most files include: they are compiled as one.
            verdict = self.compile(kernels, 0, own) or self.compile(list(base.units), 0, own)
        else:
            # At once at the level whose objects can be compared.
            verdict = self.compile(library, 1, own) or self.same(own)
        if verdict:
            return verdict
        order = base.order(where)
        if first:
            name, group = first
            if name in tests and (verdict := self.compile([name], 0, own)):
                return verdict
            if killer := self.test(name, own, 0, base_filter(base.groups[name], [group])):
                return "killed", killer
        for name in order:
            quick = base.split(name)[0]
            if quick and name in tests and (verdict := self.compile([name], 0, own)):
                return verdict
            if killer := self.test(name, own, 0, quick):
                return "killed", killer
        if kernels or tests:
            own = {}
            if verdict := self.compile(library, 1, own):
                return verdict
            if not tests and (verdict := self.same(own)):
                return verdict
        for name in order:
            if name in tests and (verdict := self.compile([name], 1, own)):
                return verdict
            if killer := self.test(name, own, 1, base.split(name)[1]):
                return "killed", killer
        if tests and (verdict := self.same(own)):
            return verdict
        for isa in FORCED if kernels or any("filter" in f for f in files) else []:
            for name in order:
                if killer := self.test(name, own, 1, base.split(name)[0], {"SIMDBLOOM_ISA": isa}):
                    return "killed", f"{killer} on {isa}"
        return "survived", ""

    def one_isa_after_the_other(self, kernels, own):
        if verdict := self.compile(kernels[:1], 0, own):
            return verdict
        quick = base_filter(self.base.groups[ONE_ISA], ONE_ISA_TESTS)
        for name in kernels:
            one = {}
            if verdict := self.compile([name], 0, one):
                return verdict
            own.update(one)
            if one[name].read_bytes() != self.base.object(name, 0).read_bytes():
                if killer := self.test(ONE_ISA, one, 0, quick):
                    return "killed", f"{killer}, {name} kernels"
        return None

    def same(self, own):
        if all(path.read_bytes() == self.base.object(name, 1).read_bytes() for name, path in own.items()):
            return "same code", ""
        return None

    def test(self, name, own, level, tests, environment=None):
        """What fails of these tests, or None."""
        if tests is None:
            return None
        program = self.folder / "program"
        try:
            link(self.base.objects(own, level) + [str(own.get(name) or self.base.object(name, 1))], program, self.folder)
        except Failed as error:
            return str(error)
        seconds = int(CPU_SECONDS + 25 * sum(t for g, t in self.base.groups[name].items() if g in tests.split(":")))
        why, text = run([str(program), f"--gtest_filter={tests}", "--gtest_fail_fast"], self.folder, WALL_FACTOR * seconds, environment, seconds, MEMORY)
        if why is None:
            return None
        started = re.findall(r"\[ RUN +\] (\S+)", text)
        failed = re.findall(r"\[  FAILED  \] (\S+?),? ", text)
        return (failed or started or [name])[0 if failed else -1] + ("" if why == "fails" else f" ({why})")
