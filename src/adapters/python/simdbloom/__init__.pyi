from array import array
from collections.abc import Iterable
from datetime import date, time, timedelta
from mmap import mmap
from os import PathLike
from typing import Any, Final, Literal, Protocol, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeAlias

class _HasArray(Protocol):
    def __array__(self) -> npt.NDArray[Any]: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

Key: TypeAlias = int | float | str | bytes | np.generic | date | time | timedelta
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
KeyKind: TypeAlias = Literal[
    "unknown", "integers", "bytes", "floats", "days", "seconds", "milliseconds", "microseconds",
    "nanoseconds", "durations", "rows", "other",
]

__version__: str

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
    key_kind: Final[KeyKind]
    size_in_bytes: Final[int]
    def to_bytes(self) -> bytes: ...
    def save(self, path: Path) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class Filter(_Asked, _Saved):
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
        fold_levels: int = 0, huge_pages: bool = True,
    ) -> None: ...
    @staticmethod
    def from_bytes(
        data: Buffer, *, isa: Isa | None = None, secret: bytes | None = None, max_bytes: int = 0
    ) -> Filter: ...
    @staticmethod
    def load(
        path: Path, *, isa: Isa | None = None, secret: bytes | None = None, max_bytes: int = 0
    ) -> Filter: ...
    @staticmethod
    def map(
        path: Path, *, isa: Isa | None = None, secret: bytes | None = None, max_bytes: int = 0
    ) -> Filter: ...
    @staticmethod
    def view(
        buffer: Buffer, *, isa: Isa | None = None, secret: bytes | None = None, max_bytes: int = 0
    ) -> Filter: ...
    def insert(self, keys: Keys, *, hashed: bool = False) -> None: ...
    def try_insert(self, keys: Keys, *, hashed: bool = False) -> int: ...
    def insert_if_new(self, keys: Keys, *, hashed: bool = False) -> npt.NDArray[np.bool_]: ...
    def erase(self, keys: Keys, *, hashed: bool = False) -> int: ...
    def hashes(self, keys: Keys) -> npt.NDArray[np.uint64]: ...
    def add(self, key: Key) -> None: ...
    def discard(self, key: Key) -> bool: ...
    def clear(self) -> None: ...
    def __contains__(self, key: Key) -> bool: ...
    def copy(self) -> Filter: ...
    def __copy__(self) -> Filter: ...
    def __deepcopy__(self, memo: object) -> Filter: ...
    def __or__(self, other: Filter) -> Filter: ...
    def __and__(self, other: Filter) -> Filter: ...
    def __ior__(self, other: Filter) -> Filter: ...
    def __iand__(self, other: Filter) -> Filter: ...
    def accept_all(self) -> None: ...
    def folded(self, parts: int) -> Filter: ...
    def folded_to_fpr(self, fpr: float) -> Filter: ...
    def estimated_keys(self) -> tuple[float, float]: ...
    def expected_fpr(self) -> float: ...
    spec: Final[str]
    n_keys: Final[int]
    bits_per_key: Final[float]
    seed: Final[int]
    isa: Final[Isa]
    hashing: Final[Hashing]
    secret: Final[bytes | None]
    read_only: Final[bool]

class JoinFilter(_Asked, _Saved):
    @staticmethod
    def from_bytes(data: Buffer) -> JoinFilter: ...
    @staticmethod
    def load(path: Path) -> JoinFilter: ...
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
    def __init__(
        self, keys: Keys, values: npt.ArrayLike, *, value_bits: int | None = None,
        check_bits: int = 8, seed: int = 0,
    ) -> None: ...
    def lookup(self, keys: Keys) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_]]: ...
    def __contains__(self, key: Key) -> bool: ...
    def __getitem__(self, key: Key) -> int: ...
    n_keys: Final[int]
    spec: Final[str]
    bits_per_key: Final[float]
    value_bits: Final[int]
    check_bits: Final[int]
    @staticmethod
    def from_bytes(data: Buffer) -> Map: ...
    @staticmethod
    def load(path: Path) -> Map: ...
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
def build_filter(
    keys: Keys, check_bits: int = 8, *, seed: int = 0, hashing: Hashing = "fast",
    secret: bytes | None = None, hashed: bool = False,
) -> Filter: ...
def advise(
    n_keys: int, work_ns: float, *, probes: float = ..., hits: float = 0,
    max_bits_per_key: float = 20, max_bytes: int = 0, table_bytes: int = 0, erase: bool = False,
    grow: bool = False, merge: bool = False, all_at_once: bool = False,
    times: FilterTimes | None = None,
) -> Advice: ...
