"""One copy of the tree, in which one mutant at a time is built and tested."""

import re
import shutil
import subprocess

from harness import (CPU_SECONDS, FEW, MEMORY, ONE_ISA, ONE_ISA_TESTS, WALL_FACTOR, UNIT, Failed,
                     base_filter, compile_one, link, run)
from programs import FASTEST_FIRST, FORCED, in_library, is_kernel, is_test



class Worker:
    def __init__(self, base, folder):
        self.base, self.folder, self.tree = base, folder, folder / "tree"
        shutil.rmtree(folder, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for part in ("include", "src"):
            shutil.copytree(base.root / part, self.tree / part)
        shutil.copytree(base.root / "tests", self.tree / "tests",
                        ignore=shutil.ignore_patterns("mutate", "fuzz"))

    def judge(self, changes, where, first=None):
        """`changes`: file -> new text. (verdict, by what); verdicts: killed, survived, same code,
        not compiled. `first`: (test file, group) that is asked before all others."""
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
            source = self.base.sources[name] if name != UNIT else self.base.unit_source()
            try:
                why, text = compile_one(self.tree, source, name, level, out, None, self.base.folder)
            except subprocess.TimeoutExpired:
                why, text = "fails", "the compiler takes too long"
            if why:
                errors = [line for line in text.splitlines() if "error" in line]
                return "not compiled", (errors or [text[:200]])[0]
            own[name] = out
        return None

    def built_and_tested(self, files, where, first):
        base, own = self.base, {}
        affected = sorted({name for file in files for name in base.affected(file)})
        tests = [n for n in affected if is_test(n)]
        library = [n for n in affected if not is_test(n)]
        kernels = [n for n in FASTEST_FIRST if n in library]
        core = [n for n in library if in_library(n)]
        others = [n for n in library if n not in kernels and n not in core]
        if not base.order(where, affected):
            return "survived", "no test is linked with it"
        quickly = bool(kernels or len(core) > FEW)
        if kernels and kernels == library:
            verdict = self.one_isa_after_the_other(kernels, own)
        elif quickly:
            # A header that most files include: they are compiled as one.
            as_one = core if len(core) <= FEW else [UNIT]
            verdict = self.compile(kernels + as_one + others, 0, own)
        else:
            # At once at the level whose objects can be compared.
            verdict = self.compile(library, 1, own)
            affected = self.changed(own) + tests
        if verdict:
            return verdict
        if not affected:
            return "same code", ""
        order = base.order(where, affected)
        if first:
            order = [first[0]] + [n for n in order if n != first[0]]
        for name in order:
            if verdict := self.compile(self.missing(tests, name, own), 0, own):
                return verdict
            if first and name == first[0]:
                base.measure(name)
                if killer := self.test(name, own, 0, base_filter(base.groups[name], [first[1]])):
                    return "killed", killer
            quick, slow = base.split(name)
            if killer := self.test(name, own, 0, quick):
                return "killed", killer
            # Its own tests see a mutant more often than all others: the slow ones too.
            if name == order[0] and not kernels and (killer := self.test(name, own, 0, slow)):
                return "killed", killer
        # The same at -O1, of what is not there yet.
        if quickly:
            own = {}
            if verdict := self.compile(library, 1, own):
                return verdict
        else:
            own = {n: path for n, path in own.items() if not is_test(n)}
        if verdict := self.compile(tests, 1, own):
            return verdict
        if not (affected := self.changed(own)):
            return "same code", ""
        order = base.order(where, affected)
        for name in order:
            if killer := self.test(name, own, 1, base.split(name)[1]):
                return "killed", killer
        chooses = any(re.search(r"filters/(filter|kernels_of)", f) for f in files)
        for isa in FORCED if kernels or chooses else []:
            for name in order:
                if killer := self.test(name, own, 1, base.split(name)[0], {"SIMDBLOOM_ISA": isa}):
                    return "killed", f"{killer} on {isa}"
        return "survived", ""

    def changed(self, own):
        """Of these objects at -O1 those that are not as they were; the others go."""
        for name in list(own):
            if own[name].read_bytes() == self.base.object(name, 1).read_bytes():
                del own[name]
        return list(own)

    def missing(self, tests, program, own):
        return [n for n in tests if n in self.base.reach[program] and n not in own]

    def one_isa_after_the_other(self, kernels, own):
        if verdict := self.compile(kernels[:1], 0, own):
            return verdict
        self.base.measure(ONE_ISA)
        quick = base_filter(self.base.groups[ONE_ISA], ONE_ISA_TESTS)
        for name in kernels:
            one = {}
            if verdict := self.compile([name], 0, one):
                return verdict
            own.update(one)
            if name not in self.base.reach[ONE_ISA]:
                continue
            if one[name].read_bytes() != self.base.object(name, 0).read_bytes():
                if killer := self.test(ONE_ISA, one, 0, quick):
                    return "killed", f"{killer}, {name} kernels"
        return None

    def linked(self, name, own, level):
        base, program = self.base, self.base.programs[name]
        taken = set(base.reach[name])
        # Kernels at -O0 are for tests of changed kernels: all other tests take ten times as long.
        level = level if any(is_kernel(n) for n in own) else 1
        if UNIT in own and taken & set(base.unit):
            taken.add(UNIT)
        for out, roots, shared in base.parts(program, self.folder):
            mine = [n for n in own if n in taken and not self.is_root(n, program)]
            if shared:  # the other program's objects stay out of a library
                mine = [n for n in mine if not n.startswith("src.tools.")]
            objects = [str(own.get(n) or base.object(n, 1)) for n in roots]
            objects += [str(own[n]) for n in mine]
            link(objects, base.archive(level), out, self.folder, program.libraries, shared)

    @staticmethod
    def is_root(name, program):
        return name in program.roots or name == program.also

    def test(self, name, own, level, tests, environment=None):
        """What fails of these tests, or None."""
        if not tests:
            return None
        base = self.base
        try:
            self.linked(name, own, level)
        except Failed as error:
            return str(error)
        spent = sum(t for g, t in base.groups[name].items() if g in tests.split(":"))
        slow = level == 0 and any(is_kernel(n) for n in own)
        seconds = int(CPU_SECONDS + (25 if slow else 6) * spent)
        command = base.command(name, self.folder)
        command = command or ["./program", f"--gtest_filter={tests}", "--gtest_fail_fast"]
        why, text = run(command, self.folder, WALL_FACTOR * seconds, environment, seconds, MEMORY)
        if why is None:
            return None
        started = re.findall(r"\[ RUN +\] (\S+)", text)
        failed = re.findall(r"\[  FAILED  \] (\S+?),? ", text)
        if base.programs[name].command:
            failed = [f"{name}: {what}" for what in re.findall(r"^FAILED:? +(.+)", text, re.M)]
        killer = failed[0] if failed else started[-1] if started else name
        return killer + ("" if why == "fails" else f" ({why})")
