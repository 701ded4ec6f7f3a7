from array import array
from collections.abc import Iterable
from datetime import date, time, timedelta
from decimal import Decimal
from mmap import mmap
from os import PathLike
from typing import Any, Final, Literal, Protocol, TypeVar, overload
from uuid import UUID

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeAlias

class _HasArray(Protocol):
    def __array__(self) -> npt.NDArray[Any]: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class _Writer(Protocol):
    def write(self, data: memoryview, /) -> int | None: ...

class _Reader(Protocol):
    def read(self) -> bytes: ...

_T = TypeVar("_T")
Key: TypeAlias = int | float | Decimal | str | bytes | np.generic | date | time | timedelta | UUID
Buffer: TypeAlias = bytes | bytearray | memoryview | mmap | array[Any] | npt.NDArray[Any]
Keys: TypeAlias = (
    npt.NDArray[Any]
    | Iterable[Key | None]
    | memoryview
    | _HasArray
    | _ArrowArray
    | _ArrowStream
    | Rows
)
Path: TypeAlias = str | PathLike[str]
Isa: TypeAlias = Literal["scalar", "sse42", "avx2", "avx512", "avx512bitalg", "neon"]
Hashing: TypeAlias = Literal["fast", "seeded", "keyed"]
Format: TypeAlias = Literal[
    "leveldb", "rocksdb", "rocksdb-legacy", "parquet", "kudu", "impala", "guava", "spark-v1",
    "spark-v2", "milvus", "bits-and-blooms",
]
KeyKind: TypeAlias = Literal[
    "unknown", "integers", "bytes", "floats", "days", "seconds", "milliseconds", "microseconds",
    "nanoseconds", "durations", "rows", "other",
]

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

# `Final` names what programs read and do not set.
class _Asked:
    def contains(
        self, keys: Keys, *, out: npt.NDArray[np.bool_] | npt.NDArray[np.uint8] | None = None,
        hashed: bool = False
    ) -> npt.NDArray[np.bool_]: ...
    def bitmap(
        self, keys: Keys, *, out: npt.NDArray[np.uint8] | None = None, hashed: bool = False
    ) -> npt.NDArray[np.uint8]: ...
    def select(
        self, keys: Keys, *, rows: npt.NDArray[np.uint32] | None = None,
        out: npt.NDArray[np.uint32] | None = None, hashed: bool = False,
    ) -> npt.NDArray[np.uint32]: ...
    def count(self, keys: Keys, *, hashed: bool = False) -> int: ...
    def contains_arrow(self, keys: Keys, *, hashed: bool = False) -> ArrowColumn: ...
    def select_arrow(self, keys: Keys, *, hashed: bool = False) -> ArrowColumn: ...
    def estimated_fpr(self) -> float: ...

class _Saved:
    size_in_bytes: Final[int]
    def to_bytes(self) -> bytes: ...
    def save(self, file: Path | _Writer) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class _Filled(_Asked):
    def insert(self, keys: Keys, *, hashed: bool = False) -> None: ...
    def add(self, key: Key) -> None: ...
    def __contains__(self, key: Key) -> bool: ...

class _Sized(_Filled):
    key_kind: Final[KeyKind]
    spec: Final[str]
    n_keys: Final[int]
    bits_per_key: Final[float]
    seed: Final[int]
    def insert_if_new(self, keys: Keys, *, hashed: bool = False) -> npt.NDArray[np.bool_]: ...
    def expected_fpr(self) -> float: ...

class Filter(_Sized, _Saved):
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
    @staticmethod
    def from_bytes(
        data: Buffer, *, isa: Isa | None = None, secret: bytes | None = None, max_bytes: int = 0
    ) -> Filter: ...
    @staticmethod
    def load(
        file: Path | _Reader, *, isa: Isa | None = None, secret: bytes | None = None, max_bytes: int = 0
    ) -> Filter: ...
    @staticmethod
    def map(
        path: Path, *, isa: Isa | None = None, secret: bytes | None = None, max_bytes: int = 0
    ) -> Filter: ...
    @staticmethod
    def view(
        buffer: Buffer, *, isa: Isa | None = None, secret: bytes | None = None, max_bytes: int = 0
    ) -> Filter: ...
    def try_insert(self, keys: Keys, *, hashed: bool = False) -> int: ...
    def erase(self, keys: Keys, *, hashed: bool = False) -> int: ...
    def hashes(self, keys: Keys) -> npt.NDArray[np.uint64]: ...
    def discard(self, key: Key) -> bool: ...
    def clear(self) -> None: ...
    def copy(self) -> Filter: ...
    def __copy__(self) -> Filter: ...
    def __deepcopy__(self, memo: object) -> Filter: ...
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
    isa: Final[Isa]
    hashing: Final[Hashing]
    secret: Final[bytes | None]
    read_only: Final[bool]
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

class ForeignFilter(_Filled, _Saved):
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

class JoinFilter(_Asked, _Saved):
    key_kind: Final[KeyKind]
    @staticmethod
    def from_bytes(data: Buffer) -> JoinFilter: ...
    @staticmethod
    def load(file: Path | _Reader) -> JoinFilter: ...
    kind: Final[Literal["all", "none", "list", "bitmap", "prefix", "filter"]]
    why: Final[str]
    def prune(self, low: int, high: int) -> Literal["none", "maybe", "all"]: ...

class JoinBuilder:
    def __init__(
        self, spec: str = "auto", n_keys: int = 0, bits_per_key: float | None = None, *,
        fpr: float | None = None, max_bytes: int = 0,
    ) -> None: ...
    def insert(self, keys: Keys, *, hashed: bool = False) -> None: ...
    def unite(self, part: JoinFilter) -> None: ...
    rows: Final[int]
    def finish(self) -> JoinFilter: ...
    def part(self) -> JoinFilter: ...

class Map(_Saved):
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
    @staticmethod
    def from_bytes(data: Buffer) -> Map: ...
    @staticmethod
    def load(file: Path | _Reader) -> Map: ...
    @staticmethod
    def map(path: Path) -> Map: ...

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
    noise: Final[float]

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
