"""What is left alone, because no answer, no bit and no error can depend on it."""

import re

# Files of which no mutant is made.
LEFT_OUT = [
    (r"src/core/kernels/ops/(neon|simd128)\.hpp|src/adapters/wasm/",
     "this build does not compile them"),
    (r"src/core/dispatch/detect\.cpp",
     "copies what the processor says; its choices stand in tiers.cpp"),
    (r"src/advice/measure\.", "times of kernels: no answer depends on them"),
]


# (file, line, "old -> new" or operator, reason): a mutant that fits all three patterns is not made.
EXCLUDED = [
    (r"", r"\w*prefetch(es)?\b.*(=|\()|prefetches = ", r"",
     "prefetching: a hint, for any address and size; tests/checks/objects sees that it is there"),
    (r"layouts/|/kernels\.hpp", r"\bfew_(inserts_)?below = ", r"",
     "batches below it go key by key: another way to the same answers, and a faster one"),
    (r"interface\.hpp", r"\bfew_inserts_below_\b", r"^(<|words.size)",
     "the border between two ways to the same bits"),
    (r"batches\.hpp", r"\bfew_below\b", r"^< -> <=",
     "the border between two ways to the same answers"),
    (r"kernels/driver", r"unrolls|SIMDBLOOM_UNROLLS|only_reads", r"", "unrolling"),
    (r"layouts/classic", r"levels = 16", r"",
     "how many probes go through queues before the rest is made at one go"),
    (r"kernels/ops/", r"(has_byte_packing|has_line_test) = ", r"",
     "which of two ways to the same answers is taken"),
    (r"build\.cpp", r"return Way::|return threads == 2|per_thread = |reserve\(", r"",
     "which way is taken: all give the same bits"),
    (r"build_tasks\.cpp", r"regions\.emplace", r"",
     "the number of regions: all give the same bits"),
    (r"concurrent\.cpp", r"count = 256|few_below|if \(prefetches_?\)", r"",
     "the number of locks, the border between two ways to the same answers, prefetching"),
    (r"storage\.(hpp|cpp)|options\.hpp", r"madvise|huge_pages_? = |swap\(huge_pages_", r"",
     "2 MiB pages: speed alone"),
    (r"core/os/", r"O_CLOEXEC|O_NOCTTY|File folder|fsync", r"",
     "descriptors of child processes, a terminal to take, what is on the disk after a loss of "
     "power: not seen from inside a test"),
    (r"core/os/posix\.cpp", r"st_blocks", r"", "the check is also right of a file without holes"),
    (r"fuse\.cpp", r"(windows|loads)[34]\[\] = |^\s*[\d',{}; ]+$", r"",
     "windows and slots by the number of keys, measured: others give a filter too"),
    (r"compact\.cpp", r"leave = ", r"", "the size from which a lookup ends at the first clear bit"),
    (r"adapters/mpi", r"MPI_Error_string|char text\[", r"", "the words for an error of MPI itself"),
    (r"fpr\.cpp", r"1e-1[57] \* sum|if \(probes \* p >= limit\)", r"",
     "where sums of vanishing terms are cut, and which of two sums of the same value is taken"),
    (r"fpr\.cpp", r"last = load \+ 12|1e-15L", r"^[\d.e-]+L? -> ",
     "where sums of vanishing terms are cut"),
]


def left_out(name):
    return any(re.search(pattern, name) for pattern, _ in LEFT_OUT)


def excluded(mutant):
    """Whether this mutant is not made."""
    change = f"{mutant.old} -> {mutant.new}"
    return any(re.search(file, mutant.file) and re.search(line, mutant.line)
               and (re.search(what, change) or what and re.search(what, mutant.operator))
               for file, line, what, _ in EXCLUDED)
