"""Types and bases of the stubs; no module of the package."""

from array import array
from collections.abc import Iterable
from datetime import date, time, timedelta
from decimal import Decimal
from mmap import mmap
from os import PathLike
from typing import Any, Final, Literal, Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt
from typing_extensions import Self, TypeAlias

from . import ArrowColumn, Rows, Worth

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

class _Written:
    size_in_bytes: Final[int]
    def to_bytes(self) -> bytes: ...
    def save(self, file: Path | _Writer) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class _Saved(_Written):
    @classmethod
    def from_bytes(
        cls, data: Buffer, *, isa: Isa | None = None, secret: bytes | None = None,
        max_bytes: int = 0
    ) -> Self: ...
    @classmethod
    def load(
        cls, file: Path | _Reader, *, isa: Isa | None = None, secret: bytes | None = None,
        max_bytes: int = 0
    ) -> Self: ...

class _Mapped(_Saved):
    @classmethod
    def map(
        cls, path: Path, *, isa: Isa | None = None, secret: bytes | None = None,
        max_bytes: int = 0
    ) -> Self: ...

class _Viewed(_Mapped):
    @classmethod
    def view(
        cls, buffer: Buffer, *, isa: Isa | None = None, secret: bytes | None = None,
        max_bytes: int = 0
    ) -> Self: ...
    def copy(self) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
    def hashes(self, keys: Keys) -> npt.NDArray[np.uint64]: ...
    def clear(self) -> None: ...
    isa: Final[Isa]
    hashing: Final[Hashing]
    secret: Final[bytes | None]
    read_only: Final[bool]

class _Bank(_Viewed):
    def insert(self, set: int, keys: Keys, *, hashed: bool = False) -> None: ...
    def contains(self, keys: Keys | Key, *, hashed: bool = False) -> npt.NDArray[np.bool_]: ...
    def bitmap(self, keys: Keys | Key, *, hashed: bool = False) -> npt.NDArray[np.uint8]: ...
    def count_per_set(self, keys: Keys, *, hashed: bool = False) -> npt.NDArray[np.uint64]: ...
    def select_sets(
        self, keys: Keys, least: int, *, hashed: bool = False
    ) -> npt.NDArray[np.uint32]: ...
    def select(self, key: Key) -> npt.NDArray[np.uint32]: ...
    def count(self, key: Key) -> int: ...
    def clear_set(self, set: int) -> None: ...
    def __len__(self) -> int: ...
    seed: Final[int]
    key_kind: Final[KeyKind]

class _Worthy:
    def worth(self, work_ns: float, *, hits: float = 0) -> Worth: ...

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
