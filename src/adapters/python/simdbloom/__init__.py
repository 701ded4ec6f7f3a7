"""Bloom, cuckoo and counting filters whose kernels are SIMD, for NumPy arrays and Arrow."""

from ._simdbloom import (
    Advice, ArrowColumn, Choice, Filter, FilterTimes, JoinBuilder, JoinFilter, LoadError, Map, Rows,
    __version__, advise, bits_for_fpr, build_filter, expected_fpr, isa_floor, usable_isas,
)

from . import _calls, _simdbloom

__all__ = [
    "Advice", "ArrowColumn", "Choice", "Filter", "FilterTimes", "JoinBuilder", "JoinFilter",
    "LoadError", "Map", "Rows", "__version__", "advise", "bits_for_fpr", "build_filter",
    "expected_fpr", "isa_floor", "usable_isas",
]


def _unpickle(cls, data):
    return cls.from_bytes(data)


_simdbloom._describe(_calls.doc_of, _calls.explain)
for _name in __all__:
    if hasattr(globals()[_name], "__module__"):
        globals()[_name].__module__ = __name__
