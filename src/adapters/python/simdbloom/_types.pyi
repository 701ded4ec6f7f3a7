"""Types of the stubs; no module of the package."""

from array import array
from collections.abc import Iterable
from datetime import date, time, timedelta
from decimal import Decimal
from mmap import mmap
from os import PathLike
from typing import Any, Literal, Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeAlias

from . import Rows

class _HasArray(Protocol):
    def __array__(self) -> npt.NDArray[Any]: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Writer(Protocol):
    def write(self, data: memoryview, /) -> int | None: ...

class Reader(Protocol):
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
Hashing: TypeAlias = Literal["fast", "seeded", "keyed"]
Format: TypeAlias = Literal[
    "leveldb", "rocksdb", "rocksdb-legacy", "parquet", "kudu", "impala", "guava", "spark-v1",
    "spark-v2", "milvus", "bits-and-blooms",
]
KeyKind: TypeAlias = Literal[
    "unknown", "integers", "bytes", "floats", "days", "seconds", "milliseconds", "microseconds",
    "nanoseconds", "durations", "rows", "other",
]
