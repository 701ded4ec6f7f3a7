"""Arrays and columns of every library as arrays that the module reads in place."""

import numpy as np

NANOSECONDS = {"W": 604_800 * 10**9, "D": 86_400 * 10**9, "h": 3_600 * 10**9, "m": 60 * 10**9,
               "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
NAT = -2**63


def is_arrow(keys):
    """Whether it is a column or table of Arrow's interface, but not of pandas."""
    return (not isinstance(keys, np.ndarray) and not type(keys).__module__.startswith("pandas.")
            and (hasattr(keys, "__arrow_c_array__") or hasattr(keys, "__arrow_c_stream__")))


def is_categorical(keys):
    """pandas' categoricals, as an array, an index or a series."""
    return type(getattr(keys, "dtype", None)).__name__ == "CategoricalDtype"


def one_by_one(keys):
    """The keys with a text of its own for each row: Arrow columns become lists, categoricals
    arrays."""
    for name in ("to_pylist", "to_list"):
        if is_arrow(keys) and hasattr(keys, name):
            return getattr(keys, name)()
    return np.asarray(keys) if is_categorical(keys) else keys


def column_of_rows(column):
    """The column itself. Throws for Arrow columns, except those of pandas: their __array__ turns
    integers with NULLs into floats, which lose keys."""
    if is_arrow(column):
        raise TypeError(f"simdbloom: Rows does not take Arrow columns ({type(column).__name__}): "
                        "pass an Arrow table, whose columns make rows")
    return column


def column(keys, hashed):
    """(values, valid, unit, categories) of an array or a column: an array of one dimension in
    native order or an iterable, the bits of the rows that are not NULL or None, the nanoseconds of
    a unit of time or 0, and what the codes of a categorical stand for or None."""
    if not hashed and is_categorical(keys):
        values = keys if hasattr(keys, "codes") else keys.array
        codes = _ordered(np.asarray(values.codes))
        return codes, _bits(codes >= 0), 0, values.categories
    array, valid = (None, None) if hashed else _of_pandas(keys)
    if array is None:
        if not hasattr(keys, "__array__") and not _has_buffer(keys):
            if hashed:
                raise TypeError(
                    f"simdbloom: hashes are an array of uint64 of numpy, not {type(keys)}")
            return keys, None, 0, None
        array = np.asarray(keys)
        if hasattr(keys, "_mask") and isinstance(keys, np.ndarray):
            valid = ~np.ma.getmaskarray(keys)
    array, unit = _readable(array, hashed, valid is not None), 0
    if array.dtype.kind in "mM":
        kind = array.dtype.kind
        counts, unit = times(array)
        present = counts != NAT
        valid = present if valid is None else valid & present
        array = counts.view(f"{kind}8[ns]")  # only the kind is read
    return array, None if valid is None or valid.all() else _bits(valid), unit, None


def times(array):
    """The counts of an array of datetime64 or timedelta64, and the nanoseconds of their unit."""
    given, dtype = array, array.dtype
    name = np.datetime_data(dtype)[0]
    if dtype.kind == "m" and name in ("Y", "M"):
        raise TypeError(f"simdbloom: {dtype} has no fixed length")
    if name not in NANOSECONDS and name != "generic":
        unit = "D" if name in ("Y", "M") else "ns"
        array = array.astype(f"{dtype.kind}8[{unit}]")
        if not np.array_equal(array.astype(dtype).view("i8"), given.view("i8")):
            raise OverflowError(f"simdbloom: not all values of {dtype} are whole numbers of 64 "
                                f"bits of the unit {unit}")
    counts, (name, count) = array.view("i8"), np.datetime_data(array.dtype)
    if name == "generic" and (counts != NAT).any():
        raise TypeError(f"simdbloom: {dtype} has no unit")
    unit = NANOSECONDS.get(name, 1) * count
    if unit >= 2**63:
        raise TypeError(f"simdbloom: {dtype} has units of more than 292 years")
    return counts, unit


def _bits(flags):
    return np.packbits(flags, bitorder="little")


def _has_buffer(keys):
    try:
        memoryview(keys)
    except TypeError:
        return False
    return True


def _ordered(array):
    """The array itself if its values are aligned, contiguous and in native byte order, else a copy
    that is."""
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return np.require(array, requirements="CA")


def _readable(array, hashed, is_masked):
    """The array as one of a type that the module reads. Throws for all others."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    if array.ndim != 1:
        raise ValueError(f"simdbloom: an array of shape {array.shape} has {array.ndim} dimensions, "
                         "where keys have one: Rows(a, b) takes columns")
    if hashed and (kind, size) != ("u", 8):
        raise TypeError(f"simdbloom: hashes are uint64, not {array.dtype}")
    if kind == "T":  # text of NumPy 2
        array = array.astype(object)
    elif (kind, size) == ("f", 2):
        array = array.astype(np.float32)
    elif kind not in "biufmMSUVO" or (kind == "f" and size > 8) or array.dtype.fields is not None:
        raise TypeError(f"simdbloom: an array of {array.dtype} has no keys")
    if array.dtype.kind == "O" and is_masked:
        raise TypeError("simdbloom: a masked array of objects has no keys")
    return _ordered(array)


def _of_pandas(keys):
    """pandas' times with a zone, and its numbers that may be missing, without an object for each
    row: (array, flags of those that are not missing), or Nones."""
    dtype = getattr(keys, "dtype", None)
    if isinstance(keys, np.ndarray) or dtype is None or not hasattr(keys, "to_numpy"):
        return None, None
    if type(dtype).__name__ == "DatetimeTZDtype":
        return keys.to_numpy(f"M8[{dtype.unit}]"), None
    values = getattr(dtype, "numpy_dtype", None)
    if type(getattr(dtype, "na_value", None)).__name__ != "NAType" or (
            getattr(values, "kind", " ") not in "biuf"):
        return None, None
    return keys.to_numpy(dtype=values, na_value=0), np.asarray(~keys.isna())
