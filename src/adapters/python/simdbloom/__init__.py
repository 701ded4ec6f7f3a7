"""Bloom, cuckoo and counting filters whose kernels are SIMD, for NumPy arrays and Arrow."""

from ._simdbloom import (
    Advice, ArrowColumn, Choice, CodeTable, CompactBank, ConcurrentFilter, Filter, FilterBank,
    FilterExchange, FilterTimes, ForeignFilter, Governor, JoinBuilder, JoinCounters, JoinFilter,
    LoadError, Map, Rows, SchemeBloom, StarProbe, Worth, __version__, advise, bits_for_fpr,
    build_filter, estimated_intersection, estimated_union, expected_fpr, foreign_formats,
    foreign_formats_of, isa_floor, missing_at_sender, missing_parts, reconciliation_message,
    save_part, unite_saved, usable_isas,
)

from . import _calls, _simdbloom

__all__ = [
    "Advice", "ArrowColumn", "Choice", "CodeTable", "CompactBank", "ConcurrentFilter", "Filter",
    "FilterBank", "FilterExchange", "FilterTimes", "ForeignFilter", "Governor", "JoinBuilder",
    "JoinCounters", "JoinFilter", "LoadError", "Map", "Rows", "SchemeBloom", "StarProbe", "Worth",
    "__version__", "advise", "bits_for_fpr", "build_filter", "estimated_intersection",
    "estimated_union", "expected_fpr", "foreign_formats", "foreign_formats_of", "isa_floor",
    "missing_at_sender", "missing_parts", "reconciliation_message", "save_part", "unite_saved",
    "usable_isas",
]


def _unpickle(cls, data, *more):
    return cls.from_bytes(data, *more)


_simdbloom._describe(_calls.doc_of, _calls.explain)
for _name in __all__:
    if hasattr(globals()[_name], "__module__"):
        globals()[_name].__module__ = __name__
    _calls.explain_init(globals()[_name])
