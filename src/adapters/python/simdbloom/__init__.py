"""Bloom, cuckoo and counting filters whose kernels are SIMD, for NumPy arrays and Arrow."""

from . import _calls, _simdbloom
from ._simdbloom import *  # noqa: F403
from ._simdbloom import __version__

__all__ = sorted(name for name in vars(_simdbloom) if name[0] != "_") + ["__version__"]


def _unpickle(cls, data, *more):
    return cls.from_bytes(data, *more)


_simdbloom._describe(_calls.doc_of, _calls.explain)
for _name in __all__:
    if hasattr(globals()[_name], "__module__"):
        globals()[_name].__module__ = __name__
    _calls.explain_init(globals()[_name])
