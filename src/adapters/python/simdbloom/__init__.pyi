from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ._types import (
    Buffer, Format, Hashing, Isa, Key, KeyKind, Keys, Path, _Asked, _Bank, _Filled, _Mapped,
    _Reader, _Saved, _Sized, _Viewed, _Worthy, _Written,
)

_T = TypeVar("_T")

__version__: str
isa_floor: str

class LoadError(ValueError):
    fault: Literal[
        "too_short", "foreign", "version", "layout", "secret", "parameter", "size", "checksum",
        "alignment", "limit", "isa", "unlike",
    ]

class ArrowColumn:
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __len__(self) -> int: ...

class Rows:
    def __init__(self, *columns: Keys, nulls: Literal["differ", "equal"] = "differ") -> None: ...

class Filter(_Sized, _Viewed, _Worthy):
    @overload
    def __init__(
        self, spec: str, n_keys: int, bits_per_key: float, *, isa: Isa | None = None, seed: int = 0,
        hashing: Hashing = "fast", secret: bytes | None = None, max_bytes: int = 0,
        fold_levels: int = 0, huge_pages: bool = True,
    ) -> None: ...
    @overload
    def __init__(
        self, spec: str, n_keys: int, *, fpr: float, isa: Isa | None = None, seed: int = 0,
        hashing: Hashing = "fast", secret: bytes | None = None, max_bytes: int = 0,
        fold_levels: int = 0, huge_pages: bool = True, growth: float | None = None,
        tightening: float | None = None,
    ) -> None: ...
    def try_insert(self, keys: Keys, *, hashed: bool = False) -> int: ...
    def erase(self, keys: Keys, *, hashed: bool = False) -> int: ...
    def discard(self, key: Key) -> bool: ...
    def __or__(self, other: Filter) -> Filter: ...
    def __and__(self, other: Filter) -> Filter: ...
    def __ior__(self, other: Filter) -> Filter: ...
    def __iand__(self, other: Filter) -> Filter: ...
    def __add__(self, other: Filter) -> Filter: ...
    def __iadd__(self, other: Filter) -> Filter: ...
    def accept_all(self) -> None: ...
    def folded(self, parts: int) -> Filter: ...
    def folded_to_fpr(self, fpr: float) -> Filter: ...
    def estimated_keys(self) -> tuple[float, float]: ...
    def count_estimate(self, keys: Keys, *, hashed: bool = False) -> npt.NDArray[np.uint8]: ...
    stored: Final[int]
    load_factor: Final[float]
    saturated: Final[int]
    fpr_bound: Final[float]

class ConcurrentFilter(_Sized):
    def __init__(
        self, spec: str, n_keys: int, bits_per_key: float | None = None, *,
        fpr: float | None = None, isa: Isa | None = None, seed: int = 0,
        hashing: Hashing = "fast", secret: bytes | None = None, max_bytes: int = 0,
    ) -> None: ...
    size_in_bytes: Final[int]
    def snapshot(self) -> Filter: ...

class CodeTable(_Sized):
    def __init__(
        self, spec: str, n_keys: int, bits_per_key: float | None = None, *,
        fpr: float | None = None, isa: Isa | None = None, seed: int = 0,
        hashing: Hashing = "fast", secret: bytes | None = None, max_bytes: int = 0,
    ) -> None: ...
    size_in_bytes: Final[int]
    stored: Final[int]
    load_factor: Final[float]

class ForeignFilter(_Filled, _Written):
    def __init__(
        self, format: Format, n_keys: int, bits_per_key: float | None = None, *,
        fpr: float | None = None, isa: Isa | None = None, max_bytes: int = 0,
    ) -> None: ...
    @staticmethod
    def from_bytes(
        data: Buffer, format: Format | None = None, *, isa: Isa | None = None, max_bytes: int = 0
    ) -> ForeignFilter: ...
    @staticmethod
    def load(
        file: Path | _Reader, format: Format | None = None, *, isa: Isa | None = None,
        max_bytes: int = 0,
    ) -> ForeignFilter: ...
    def convert(
        self, to: Format, *, keys: Literal["integers", "bytes"] | None = None
    ) -> ForeignFilter: ...
    @staticmethod
    def from_filter(filter: Filter, format: Format) -> ForeignFilter: ...
    def to_filter(self) -> Filter: ...
    def copy(self) -> ForeignFilter: ...
    def __copy__(self) -> ForeignFilter: ...
    def __deepcopy__(self, memo: object) -> ForeignFilter: ...
    def __or__(self, other: ForeignFilter) -> ForeignFilter: ...
    def __ior__(self, other: ForeignFilter) -> ForeignFilter: ...
    format: Final[Format]
    k: Final[int]
    details: Final[str]

class FilterBank(_Bank):
    @staticmethod
    def with_bits_per_key(
        sets: int, n_keys: int, bits_per_key: float, *, spec: str = "blocked512",
        isa: Isa | None = None, seed: int = 0, hashing: Hashing = "fast",
        secret: bytes | None = None, max_bytes: int = 0, huge_pages: bool = True,
    ) -> FilterBank: ...
    @staticmethod
    def for_fpr(
        sets: int, n_keys: int, fpr: float, *, spec: str = "blocked512", isa: Isa | None = None,
        seed: int = 0, hashing: Hashing = "fast", secret: bytes | None = None,
        max_bytes: int = 0, huge_pages: bool = True,
    ) -> FilterBank: ...
    @staticmethod
    def of(
        filters: Iterable[Filter], *, isa: Isa | None = None, max_bytes: int = 0
    ) -> FilterBank: ...
    def add_set(self) -> int: ...
    def resize(self, sets: int) -> None: ...
    def expected_fpr(self) -> float: ...
    spec: Final[str]
    n_keys: Final[int]
    rows: Final[int]
    bits_per_key: Final[float]

class CompactBank(_Bank):
    @staticmethod
    def with_bits_per_key(
        n_keys: Iterable[int], bits_per_key: float, *, spec: str = "blocked512",
        isa: Isa | None = None, seed: int = 0, hashing: Hashing = "fast",
        secret: bytes | None = None, max_bytes: int = 0, huge_pages: bool = True,
    ) -> CompactBank: ...
    @staticmethod
    def for_fpr(
        n_keys: Iterable[int], fpr: float, *, spec: str = "blocked512", isa: Isa | None = None,
        seed: int = 0, hashing: Hashing = "fast", secret: bytes | None = None,
        max_bytes: int = 0, huge_pages: bool = True,
    ) -> CompactBank: ...
    def add_set(self, n_keys: int) -> int: ...
    def expected_fpr(self, set: int) -> float: ...
    specs: Final[list[str]]
    n_keys: Final[npt.NDArray[np.uint64]]

class SchemeBloom(_Filled):
    @overload
    def __init__(
        self, bits: int, scheme: Iterable[Callable[[Any], int]], k: int | None = None
    ) -> None: ...
    @overload
    def __init__(
        self, bits: int, scheme: Literal["seeds", "double", "enhanced", "triple"], k: int, *,
        hash: Literal["xxh64", "fnv1a", "bkdr", "djb2", "sdbm"] | Callable[[Any, int], int]
        = "xxh64", seed: int = 0,
    ) -> None: ...
    def to_bytes(self) -> bytes: ...
    def expected_fpr(self, n_keys: int) -> float: ...
    def clear(self) -> None: ...
    bits: Final[int]
    k: Final[int]
    scheme: Final[Literal["functions", "seeds", "double", "enhanced", "triple"]]
    size_in_bytes: Final[int]

class JoinFilter(_Asked, _Saved, _Worthy):
    key_kind: Final[KeyKind]
    @staticmethod
    def accept_all() -> JoinFilter: ...
    @staticmethod
    def accept_none() -> JoinFilter: ...
    range: Final[tuple[int, int] | None]
    kind: Final[Literal["all", "none", "list", "bitmap", "prefix", "filter"]]
    why: Final[str]
    def prune(self, low: int, high: int) -> Literal["none", "maybe", "all"]: ...

class JoinBuilder(_Worthy):
    def __init__(
        self, spec: str = "auto", n_keys: int = 0, bits_per_key: float | None = None, *,
        fpr: float | None = None, max_bytes: int = 0,
    ) -> None: ...
    def insert(self, keys: Keys, *, hashed: bool = False) -> None: ...
    def unite(self, part: JoinFilter) -> None: ...
    def announce(self, n: int) -> int: ...
    def seal(self, partition: int) -> None: ...
    def keep_at_most(self, bytes: int) -> None: ...
    def use_times(self, times: FilterTimes) -> None: ...
    rows: Final[int]
    unsealed: Final[int]
    key_kind: Final[KeyKind]
    def finish(self) -> JoinFilter: ...
    def part(self) -> JoinFilter: ...
    def filter(self) -> Filter: ...

class FilterExchange:
    def __init__(
        self, senders: int, max_bytes: int, spec: str, n_keys: int, bits_per_key: float
    ) -> None: ...
    def take(
        self, kind: Literal["part", "sealed", "too large", "failed"], sender: int,
        data: Buffer | None = None, *, attempt: int = 0, number: int = 0,
    ) -> Literal["counted", "duplicate", "late", "refused"]: ...
    def close(self) -> None: ...
    def is_complete(self, sender: int) -> bool: ...
    state: Final[Literal["open", "sealed", "late", "too large"]]
    filter: Final[JoinFilter]
    why: Final[str]
    waiting_for: Final[int]
    size_in_bytes: Final[int]
    counts: Final[dict[str, int]]

class Governor:
    def __init__(
        self, *, stop_at: float = 0.5, sample_rows: int = 12288, first_pause: int = 32768,
        longest_pause: int = 16777216,
    ) -> None: ...
    @staticmethod
    def for_costs(filter_ns: float, work_ns: float) -> Governor: ...
    def should_probe(self, rows: int) -> bool: ...
    def record(self, rows: int, passed: int) -> None: ...
    paused: Final[bool]
    pass_rate: Final[float]
    skipped: Final[int]
    stop_at: Final[float]
    sample_rows: Final[int]
    first_pause: Final[int]
    longest_pause: Final[int]

class JoinCounters:
    def __init__(self) -> None: ...
    def record(self, rows: int, passed: int, joined: int | None = None) -> None: ...
    def skip(self, rows: int) -> None: ...
    def saved_ns(self, work_ns: float, asking_ns: float) -> float: ...
    def __iadd__(self, other: JoinCounters) -> JoinCounters: ...
    asked: Final[int]
    passed: Final[int]
    skipped: Final[int]
    pass_rate: Final[float]
    measured_fpr: Final[float | None]

class StarProbe:
    def __init__(
        self, filters: Iterable[JoinFilter], *, governor: Governor | None = None
    ) -> None: ...
    def select(
        self, columns: Sequence[Keys], *, hashed: bool = False
    ) -> npt.NDArray[np.uint32]: ...
    order: Final[list[int]]
    pass_rates: Final[list[float]]
    counters: Final[list[JoinCounters]]
    paused: Final[list[bool]]

class Worth:
    bytes: Final[int]
    fpr: Final[float]
    asking_ns: Final[float]
    gain_ns: Final[float]
    pays: Final[bool]

class Map(_Mapped):
    key_kind: Final[KeyKind]
    def __init__(
        self, keys: Keys, values: npt.ArrayLike, *, value_bits: int | None = None,
        check_bits: int = 8, seed: int = 0, arity: int = 3,
    ) -> None: ...
    def lookup(self, keys: Keys) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_]]: ...
    def __contains__(self, key: Key) -> bool: ...
    def __getitem__(self, key: Key) -> int: ...
    def __len__(self) -> int: ...
    @overload
    def get(self, key: Key, default: None = None) -> int | None: ...
    @overload
    def get(self, key: Key, default: _T) -> int | _T: ...
    n_keys: Final[int]
    spec: Final[str]
    bits_per_key: Final[float]
    value_bits: Final[int]
    check_bits: Final[int]

class Choice:
    spec: Final[str]
    bits_per_key: Final[float]
    isa: Final[Isa]
    bytes: Final[int]
    fpr: Final[float]
    insert_ns: Final[float]
    lookup_ns: Final[float]
    total_ns: Final[float]

class Advice:
    ranking: Final[list[Choice]]
    noise: Final[float]
    best: Final[Choice]
    why: Final[str]
    def as_good(self) -> list[Choice]: ...

class FilterTimes:
    @staticmethod
    def measure(
        n_keys: int, *, least_keys: int = 0, max_bits_per_key: float = 20, max_bytes: int = 0,
        table_bytes: int = 0, erase: bool = False, grow: bool = False, merge: bool = False,
        all_at_once: bool = False,
    ) -> FilterTimes: ...
    def predicted(self, spec: str, isa: Isa, bytes: int) -> tuple[float, float, float]: ...
    noise: Final[float]

def estimated_union(a: Filter, b: Filter) -> tuple[float, float]: ...
def estimated_intersection(a: Filter, b: Filter) -> tuple[float, float]: ...
def unite_saved(
    into: Buffer, other: Buffer, *, rather: JoinBuilder | None = None,
    secret: bytes | None = None, max_bytes: int = 0,
) -> bytes: ...
def save_part(filter: JoinFilter, part: int, parts: int) -> bytes: ...
def missing_parts(data: Buffer) -> list[int]: ...
def reconciliation_message(
    keys: Keys, bits_per_key: float, *, spec: str | None = None, seed: int = 0,
    hashing: Hashing = "fast", secret: bytes | None = None, hashed: bool = False,
) -> bytes: ...
def missing_at_sender(
    message: Buffer, keys: Keys, *, secret: bytes | None = None, max_bytes: int = 0,
    hashed: bool = False,
) -> tuple[npt.NDArray[np.uint64], float]: ...
def expected_fpr(spec: str, n_keys: int, bits_per_key: float) -> float: ...
def bits_for_fpr(spec: str, n_keys: int, fpr: float) -> float: ...
def usable_isas() -> list[Isa]: ...
def foreign_formats() -> list[Format]: ...
def foreign_formats_of(data: Buffer) -> list[Format]: ...
def build_filter(
    keys: Keys, check_bits: int = 8, *, seed: int = 0, hashing: Hashing = "fast",
    secret: bytes | None = None, hashed: bool = False, arity: int = 3,
) -> Filter: ...
def advise(
    n_keys: int, work_ns: float, *, probes: float | None = None, hits: float = 0,
    max_bits_per_key: float = 20, max_bytes: int = 0, table_bytes: int = 0, erase: bool = False,
    grow: bool = False, merge: bool = False, all_at_once: bool = False,
    times: FilterTimes | None = None,
) -> Advice: ...
