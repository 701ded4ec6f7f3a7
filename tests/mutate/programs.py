"""What a run of mutants compiles, with which flags, and which programs test it."""

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

AVX2 = ["-msse4.2", "-mpopcnt", "-mavx2", "-mbmi", "-mbmi2"]
AVX512 = AVX2 + ["-mavx512f", "-mavx512cd", "-mavx512dq", "-mavx512bw", "-mavx512vl"]
# As CMakeLists.txt has them.
ISA_FLAGS = {"scalar": [], "sse42": AVX2[:2], "avx2": AVX2, "avx512": AVX512,
             "avx512bitalg": AVX512 + ["-mavx512vbmi", "-mavx512vbmi2", "-mavx512bitalg"]}
# To compile, and the most likely to see something.
FASTEST_FIRST = [f"src.{folder}.isa.{name}" for folder in ("dispatch", "adapters.leveldb")
                 for name in ("avx2", "avx512bitalg", "scalar", "avx512", "sse42")]
FORCED = ["scalar", "sse42", "avx2", "avx512"]

VERSION = ".".join(re.findall(r"define SIMDBLOOM_VERSION_[A-Z]+ (\d+)$",
                              (ROOT / "include/simdbloom/version.hpp").read_text(), re.M))

# Kernels are not flattened: that takes most of the release's time. Position-independent for DuckDB.
COMPILE = ["clang++", "-std=c++20", "-w", "-fPIC", "-DSIMDBLOOM_KERNEL=",
           f'-DSIMDBLOOM_GOLDEN_FOLDER="{ROOT}/tests/golden"',
           "-I.", "-Iinclude", "-Isrc", "-Itests/support",
           "-isystem", "/usr/include/cpu_features"]
LINK = ["clang++", "-fuse-ld=lld", "-O0"]
GTEST = ["-lgtest", "-lgtest_main"]
LIBRARIES = ["-lcpu_features", "-lsodium", "-lnettle", "-lmurmurhash", "-lpthread"]
ADAPTERS = ["-lleveldb", "-lrocksdb"]

# What the objects of one kind include and no mutant changes, parsed once.
PRECOMPILED = {
    "kernel": ["xsimd/xsimd.hpp", "immintrin.h", "utility", "cstring", "string", "concepts",
               "span"],
    "tool": ["CLI/CLI.hpp"],
    "other": ["gtest/gtest.h", "algorithm", "array", "barrier", "cmath", "concepts", "cstring",
              "filesystem", "fstream", "functional", "memory_resource", "optional", "span",
              "string", "thread", "variant", "vector"],
}
DUCKDB = ROOT / "build/npm"


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()


MPI_COMPILE = output_of("mpicxx", "--showme:compile") + ["-DOMPI_SKIP_MPICXX"]
# Empty where pybind11 is not there.
PYTHON = ["/usr/bin/python3", "-X", "dev", "-m"]
PYTHON_COMPILE = [flag.replace("-I", "-isystem") for flag in
                  output_of(*PYTHON, "pybind11", "--includes")]
MPI_LINK = [f for f in output_of("mpicxx", "--showme:link") if f != "-lmpi_cxx"]


def is_kernel(name):
    return name in FASTEST_FIRST


def is_test(name):
    return name.startswith("tests.")


def in_library(name):
    """Whether it is compiled with the library's others as one file, where most are affected."""
    folders = "layouts|dispatch|filters|growing|bloomier|series|textbook|persist|join|c"
    return bool(re.match(rf"src\.({folders})\.", name))


def sources(root):
    """Name of an object -> its source."""
    found = [*sorted((root / "src").rglob("*.cpp")), *sorted((root / "tests").glob("*/*_test.cpp")),
             root / "tests/c/c_api.c", root / "tests/adapters/mpi/ranks.cpp",
             root / "tests/support/published_fpr.cpp"]
    names = {}
    for path in found:
        name = path.relative_to(root).as_posix()
        # Not the other architecture's kernels, nor tests of the harness that measures.
        if re.search(r"isa/(neon|simd128)|adapters/wasm/|tests/bench/", name):
            continue
        if "duckdb" in name and not DUCKDB.exists():
            continue
        if "adapters/python" in name and not PYTHON_COMPILE:
            continue
        names[re.sub(r"\.\w+$", "", name).replace("/", ".")] = name
    return names


def flags_of(name, level, folder):
    """How an object is compiled, its precompiled header or None, and of what kind that is."""
    flags = COMPILE + [f"-O{level}"]
    if is_kernel(name):
        isa = name.rsplit(".", 1)[1]
        # Scalar code includes none of what is precompiled.
        header = folder / f"{isa}.{level}.pch" if isa != "scalar" else None
        return flags + ["-fno-exceptions"] + ISA_FLAGS[isa], header, "kernel"
    if name.startswith("src.adapters.duckdb.") or name == "tests.adapters.duckdb_states_test":
        # Not by clang 14, which cannot read the ranges of GCC 12's library.
        return ["g++", *flags[1:], "-isystem", str(DUCKDB / "duckdb")], None, "other"
    if name.startswith("src.adapters.python."):
        return ["g++", *flags[1:], *PYTHON_COMPILE, "-fvisibility=hidden"], None, "other"
    if name == "tests.c.c_api":
        flags = ["clang", "-std=c99"] + [f for f in flags if f not in ("clang++", "-std=c++20")]
        return flags + [f'-DSIMDBLOOM_EXPECTED_VERSION="{VERSION}"'], None, "other"
    if name in ("src.adapters.mpi.mpi", "tests.adapters.mpi.ranks"):
        return flags + MPI_COMPILE, None, "other"
    if name == "src.adapters.leveldb.policy":
        return flags + ["-fno-rtti"], None, "other"
    kind = "tool" if name.startswith("src.tools.") else "other"
    return flags, folder / f"{kind}.{level}.pch", kind


@dataclass
class Program:
    """A program of tests: the objects that it begins with, and what it is run by."""
    name: str
    roots: list
    libraries: list = field(default_factory=list)
    command: list = None   # {program} and {folder} in it; none for the tests of GoogleTest
    also: str = None       # a root of a second program, {also}
    shared: bool = False


def programs(names):
    found = [Program(n.rsplit(".", 1)[1], [n], ADAPTERS + GTEST) for n in names
             if re.fullmatch(r"tests\.\w+\.\w+_test", n)]
    found.append(Program("c_api", ["tests.c.c_api"], [], ["{program}", "{folder}/c_api.filter"]))
    found.append(Program("tool_check", ["src.tools.main"], [],
                         ["bash", f"{ROOT}/tests/checks/tool", "{program}"]))
    found.append(Program("tool_strangers", ["src.tools.main"], [],
                         ["python3", f"{ROOT}/tests/checks/tool_strangers", "{program}"]))
    if MPI_LINK and shutil.which("mpiexec"):
        run = ["mpiexec", "--oversubscribe", "--allow-run-as-root", "-np", "2", "{program}"]
        found.append(Program("mpi", ["tests.adapters.mpi.ranks"], MPI_LINK, run))
    duckdb = [n for n in names if n.startswith("src.adapters.duckdb.")]
    if duckdb:
        script = (f"{ROOT}/src/adapters/duckdb/append_footer {{program}} "
                  "{folder}/simdbloom.duckdb_extension "
                  f"v{VERSION} linux_amd64 && "
                  f"{ROOT}/tests/adapters/duckdb/check {{folder}}/simdbloom.duckdb_extension "
                  f"{DUCKDB}/node_modules {{also}}")
        found.append(Program("duckdb", duckdb, [], ["bash", "-c", script], "src.tools.main", True))
    python = [n for n in names if n.startswith("src.adapters.python.")]
    if python:
        tests = " ".join(f"test_{subject}" for subject in
                         ("filter", "keys", "join", "arrow", "models", "threads"))
        script = ("mkdir -p {folder}/python && "
                  f"cp -r {ROOT}/src/adapters/python/simdbloom {{folder}}/python && "
                  "cp {program} {folder}/python/simdbloom/_simdbloom.so && "
                  f"cd {ROOT}/tests/adapters/python && PYTHONPATH={{folder}}/python "
                  f"PYTHONDONTWRITEBYTECODE=1 SIMDBLOOM_CALIBRATION=off "
                  f"{' '.join(PYTHON)} unittest {tests}")
        found.append(Program("python", python, [], ["bash", "-c", script], shared=True))
    return {p.name: p for p in found}
