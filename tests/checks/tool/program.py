"""What the checks of the program `simdbloom` share: they run PROGRAM, or a program of Windows by an
EMULATOR, and list what is wrong."""
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from select import select

TOOL = [*sys.argv[2:], str(Path(sys.argv[1]).resolve())]
POSIX = len(TOOL) == 1
FAILED = []
LINES = [b"line %d" % i for i in range(100_000)]
TEXT = b"".join(line + b"\n" for line in LINES)


def fail(text):
    FAILED.append(text)
    print(f"FAILED: {text}", flush=True)


def same(what, got, wanted):
    if got != wanted:
        fail(f"{what}: expected {wanted!r:.500}, got {got!r:.500}")


def ended(*words, **options):
    """Runs the program with these arguments, or those of one shell line; returns how it ended."""
    if len(words) == 1 and isinstance(words[0], str):
        words = shlex.split(words[0])
    if "stdin" not in options and "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60, **options}
    for _ in range(5):
        end = subprocess.run([*TOOL, *words], **options)
        silent = end.returncode == 1 and not end.stdout and not end.stderr
        if POSIX or not (silent or end.returncode == -signal.SIGKILL):
            break
        # Wine on busy cores: it does not start the program and ends with 1, or its server kills a
        # program that has ended and is not gone a second later.
    return end


def run(*words, code=0, says=b"", **options):
    """What it prints. It ends with that code, and standard error has those words."""
    end = ended(*words, **options)
    if end.returncode != code or says not in (end.stderr or b""):
        fail(f"{words}: exit code {end.returncode}, wanted {code} and {says!r}: {end.stderr!r}")
    return end.stdout


def answer(child, line):
    """What it prints within 20 seconds."""
    child.stdin.write(line)
    return child.stdout.read(9999) if select([child.stdout], [], [], 20)[0] else b""


def run_all(*checks):
    """Each in one temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ.update(HOME=folder, NO_PROGRESS="1")
        os.environ.pop("SIMDBLOOM_ISA", None)
        for check in checks:
            check()
    sys.exit(bool(FAILED))
