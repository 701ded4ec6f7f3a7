"""`frame.bloom.semi_join(..)` for the data frames of pandas and polars that are installed."""

from __future__ import annotations

from typing import Any, Sequence

from . import JoinBuilder, Rows

__all__ = ["Bloom"]


def _names(on: str | Sequence[str] | None, other: str | Sequence[str] | None) -> list[str]:
    given = other if on is None else on
    if given is None or (on is not None and other is not None):
        raise TypeError("simdbloom: semi_join() takes on, or left_on and right_on")
    names = list(given) if isinstance(given, (list, tuple)) else [given]
    if not names:
        raise ValueError("simdbloom: semi_join() on no columns")
    return names


class Bloom:
    """The accessor `bloom` of a data frame."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def semi_join(self, other: Any, on: str | Sequence[str] | None = None, *,
                  left_on: str | Sequence[str] | None = None,
                  right_on: str | Sequence[str] | None = None, exact: bool = True) -> Any:
        """The rows of this frame whose key is in `other`, in their order, with their index.

        on: the column or columns of the key in both frames, or left_on and right_on. exact: False
        keeps the few rows that the filter takes for such, and saves a hash table of `other`. A
        row with a missing value in its key is dropped.

        Raises KeyError for a column that is not there, and TypeError for keys of two kinds.
        """
        left, right = _names(on, left_on), _names(on, right_on)
        if len(left) != len(right):
            raise ValueError(f"simdbloom: semi_join() on {len(left)} columns and {len(right)}")
        for frame, names in ((self._frame, left), (other, right)):
            if not hasattr(frame, "columns"):
                raise TypeError(f"simdbloom: {frame!r:.60} is not a data frame")
            for name in names:
                if name not in frame.columns:
                    raise KeyError(name)
        build = JoinBuilder("auto")
        build.insert(_keys(other, right))
        flags = build.finish().contains(_keys(self._frame, left))
        is_polars = not hasattr(self._frame, "iloc")
        passed = self._frame.filter(flags) if is_polars else self._frame[flags]
        if not exact or len(passed) == 0:
            return passed
        if is_polars:
            return passed.join(other, left_on=left, right_on=right, how="semi")
        if len(left) == 1:
            return passed[_utc(passed[left[0]]).isin(_utc(other[right[0]]))]
        import pandas
        mine, theirs = (pandas.MultiIndex.from_arrays([_utc(frame[name]) for name in names])
                        for frame, names in ((passed, left), (other, right)))
        return passed[mine.isin(theirs)]


def _utc(column: Any) -> Any:
    """pandas compares times with a zone and without as unequal."""
    return column if getattr(column.dtype, "tz", None) is None else column.dt.tz_convert(None)


def _keys(frame: Any, names: list[str]) -> Any:
    if len(names) == 1:
        return frame[names[0]]
    return Rows(*(frame[name] for name in names)) if hasattr(frame, "iloc") else frame.select(names)


def _register() -> None:
    try:
        import pandas
        pandas.api.extensions.register_dataframe_accessor("bloom")(Bloom)
    except ImportError:
        pass
    try:
        import polars
        polars.api.register_dataframe_namespace("bloom")(Bloom)
    except ImportError:
        pass


_register()
