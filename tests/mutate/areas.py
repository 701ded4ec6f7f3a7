"""Which files are changed, how often, and what is left alone because no answer, no bit and no error can depend on it."""

import re

# Area, its files, its share of the mutants. Not here: ops/neon.hpp, which this build does not compile, and detect.cpp, which
# copies what the processor says.
AREAS = [
    ("kernels", r"src/kernels/(?!ops/neon)", 30),
    ("layouts and filters", r"include/simdbloom/(?!join|governor|arrow|adapters/)|src/filters/(layout|any_filter|filter)\.cpp", 25),
    ("dispatch", r"src/cpu/select\.cpp|src/filters/kernels_of\.cpp", 5),
    ("sizing", r"src/filters/(sizing|fpr)\.cpp|src/filters/number\.hpp", 15),
    ("serialisation and storage", r"src/filters/(serialize|serialize_file|files|saved|storage)\.cpp|src/filters/saved\.hpp", 13),
    ("building and combining", r"src/filters/(build|set_operations|cuckoo)\.cpp|src/filters/(combine|eviction)\.hpp", 12),
]

TOUCH = "touch returns a value that depends on what was loaded, and no value in particular"

# (file, line, "old -> new" or operator, reason): a mutant that fits all three patterns is not made.
EXCLUDED = [
    (r"", r"\w*prefetch(es)?\b.*(=|\()|prefetches = ", r"", "prefetching: a hint, for any address and any size; tests/objects_check sees to it that it is there"),
    (r"kernels/classic", r"t\.bytes > ", r"", "the size from which a kernel prefetches"),
    (r"kernels/", r"\bfew_below = ", r"", "batches below it go key by key: another way to the same answers, and a faster one"),
    (r"filter\.hpp", r"\bfew_below_\b", r"^(>=|keys.size|hashes.size)", "the border between two ways to the same bits"),
    (r"filter\.cpp", r"\bfew_below_\b", r"^< -> <=", "the border between two ways to the same answers"),
    (r"kernels/driver", r"unrolls|SIMDBLOOM_UNROLLS|only_reads", r"", "unrolling"),
    (r"kernels/classic", r"levels = 6", r"", "how many probes go through queues before the rest is made at one go"),
    (r"kernels/ops/", r"(packs_bytes|covers_lines) = ", r"", "which of two ways to the same answers is taken"),
    (r"build\.cpp", r"bool pays|\} << 20\) return|per_thread = |\? BuildMethod::|reserve\(", r"",
     "which method `automatic` takes, and in rounds of how many keys: all give the same bits"),
    (r"storage\.cpp", r"madvise", r"", "2 MiB pages: speed alone"),
    (r"(storage\.(hpp|cpp)|options\.hpp)", r"huge_pages_? = |swap\(huge_pages_", r"", "2 MiB pages: speed alone"),
    (r"cuckoo\.cpp", r"max_evictions = ", r"", "how long a walk may be: the load reached is tested, the number is a choice"),
    (r"kernels/(one_line|driver)", r"to\.sum|sum(32)?\[|all \^= x", r"", TOUCH),
    (r"kernels/", r"to\.sum|static void touch\(|sum = sum \^", r"", TOUCH),
    (r"serialize_file|files\.cpp", r"O_CLOEXEC|File folder|fetch_add", r"",
     "descriptors of child processes, the umask, what is on the disk after a loss of power, two saves at once: not seen from inside a test"),
    (r"fpr\.cpp", r"last = load \+ 12|1e-15L", r"^[\d.e-]+L? -> ", "where sums of vanishing terms are cut"),
]


def area_of(name):
    return next((area for area, pattern, _ in AREAS if re.search(pattern, name)), None)


def excluded(mutant):
    """The reason why this mutant is not made, or None."""
    for file, line, what, reason in EXCLUDED:
        if re.search(file, mutant.file) and re.search(line, mutant.line) and (re.search(what, f"{mutant.old} -> {mutant.new}") or what and re.search(what, mutant.operator)):
            return reason
    return None
