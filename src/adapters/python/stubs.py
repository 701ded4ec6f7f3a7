"""Writes the stubs of the package from what pybind11 knows of every call.
usage: stubs.py FOLDER-OF-THE-PACKAGE ISA.., whose folder gets __init__.pyi. Needs no NumPy."""

import inspect
import os
import re
import sys

FOLDER = os.path.abspath(sys.argv[1])
sys.path.insert(0, FOLDER)

import _calls  # noqa: E402
import _simdbloom  # noqa: E402

# The types that pybind11 calls str, object or handle, by `parameter`, `call.parameter` or
# `Class.call.parameter`; a property stands for its parameter.
TYPES = {
    "keys": "Keys", "key": "Key", "isa": "_Isa", "hashing": "Hashing", "key_kind": "KeyKind",
    "format": "Format", "to": "Format", "path": "Path", "data": "Buffer", "buffer": "Buffer",
    "message": "Buffer", "into": "Buffer", "unite_saved.other": "Buffer",
    "save.file": "Path | Writer", "load.file": "Path | Reader", "memo": "object",
    "requested_schema": "object", "values": "npt.ArrayLike", "columns": "Sequence[Keys]",
    "n_keys": "Iterable[int]", "of.filters": "Iterable[Filter]",
    "StarProbe.__init__.filters": "Iterable[JoinFilter]",
    "contains.out": "npt.NDArray[np.bool_] | npt.NDArray[np.uint8]",
    "bitmap.out": "npt.NDArray[np.uint8]", "select.out": "npt.NDArray[np.uint32]",
    "select.rows": "npt.NDArray[np.uint32]",
    "convert.keys": 'Literal["integers", "bytes"]',
    "take.kind": 'Literal["part", "sealed", "too large", "failed"]',
    **{f"{bank}.{call}.keys": "Keys | Key"
       for bank in ("FilterBank", "CompactBank") for call in ("contains", "bitmap")},
}
# The results that pybind11 calls arrays, tuples and objects.
RESULTS = {
    "contains": "npt.NDArray[np.bool_]", "insert_if_new": "npt.NDArray[np.bool_]",
    "bitmap": "npt.NDArray[np.uint8]", "count_per_set": "npt.NDArray[np.uint64]",
    "CompactBank.n_keys": "npt.NDArray[np.uint64]", "select": "npt.NDArray[np.uint32]",
    "select_sets": "npt.NDArray[np.uint32]", "usable_isas": "list[_Isa]",
    "foreign_formats": "list[Format]", "foreign_formats_of": "list[Format]",
    "secret": "bytes | None", "JoinFilter.range": "tuple[int, int] | None",
    "counts": "dict[str, int]", "__reduce__": "tuple[Any, ...]",
    "__arrow_c_array__": "tuple[object, object]",
    "predicted": "tuple[float, float, float]",
    "lookup": "tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_]]",
    "missing_at_sender": "tuple[npt.NDArray[np.uint64], float]",
}
# The calls whose arguments depend on each other.
OVERLOADS = {
    "Map.get": ["(self, key: Key, default: None = None) -> int | None",
                "(self, key: Key, default: _T) -> int | _T"],
    "Rows.__init__": [
        '(self, *columns: Keys, nulls: Literal["differ", "equal"] = "differ") -> None'],
    "SchemeBloom.__init__": [
        "(self, bits: int, scheme: Iterable[Callable[[Any], int]], k: int | None = None) -> None",
        '(self, bits: int, scheme: Literal["seeds", "double", "enhanced", "triple"], k: int, *, '
        'hash: Literal["xxh64", "fnv1a", "bkdr", "djb2", "sdbm"] | Callable[[Any, int], int] '
        '= "xxh64", seed: int = 0) -> None'],
}
# The names of parameters that pybind11 calls arg0, arg1, .., by their call.
NAMELESS = {"__deepcopy__": "memo", "__contains__": "key", "__getitem__": "key"}


def of_table(table, name):
    """The entry of `Class.call.parameter`, of `call.parameter` or of `parameter`."""
    while name:
        if name in table:
            return table[name]
        name = name.partition(".")[2]
    return None


def python_type(text, name, table):
    """A type of pybind11's as Python writes it."""
    optional = re.fullmatch(r"Optional\[(.*)\]", text)
    if optional:
        return python_type(optional[1], name, table) + " | None"
    plain = re.sub(r"simdbloom(\.|::)", "", text.replace("List", "list").replace("Tuple", "tuple"))
    array = re.fullmatch(r"numpy.ndarray\[numpy.(\w+)\]", plain)
    if array:
        return f"npt.NDArray[np.{array[1]}]"
    if re.fullmatch(r"(list|tuple)\[.*|int|float|bool|bytes|None|(?!Iterable)[A-Z]\w+",
                    plain) and plain != "list[str]":
        return plain
    found = of_table(table, name) or (plain if "str" in plain else None)
    if found is None:
        sys.exit(f"stubs.py: {name} needs a type, which pybind11 calls {plain}")
    return found


def result_type(text, name, doc):
    """The type of a result. The doc of a str that is one of several names quotes all of them."""
    names = re.findall(r"'([a-z ]+)'", doc.strip().partition("\n\n")[0])
    if text == "str" and len(names) > 1 and not of_table(TYPES, name):
        return f"Literal[{', '.join(map(repr, names))}]"
    return python_type(text, name, TYPES if text == "str" else RESULTS)


def parameter(name, text, default, owner):
    if not text:  # *, or self
        return name
    name = NAMELESS.get(owner.rpartition(".")[2], "other") if name.startswith("arg") else name
    kind = python_type(text, f"{owner}.{name}", TYPES)
    if default == "None" and not kind.endswith("| None"):
        kind += " | None"
    return f"{name}: {kind}" + (f" = {default}" if default else "")


def overloads(name, parameters):
    """A structure is sized by bits_per_key or by fpr, unless it needs neither."""
    given = {parameter[0]: parameter for parameter in parameters}
    if not name.endswith("__init__") or not {"bits_per_key", "fpr"} <= set(given) or (
            given["n_keys"][2]):
        return [parameters]
    def with_one(one, *others):
        return [(n, "float", "") if n == one else (n, t, d) for n, t, d in parameters
                if n not in others]
    return [with_one("bits_per_key", "fpr", "growth", "tightening"),
            with_one("fpr", "bits_per_key")]


def call(name, doc, indent, is_method):
    """The lines of a function from its docstring, whose first line is its signature."""
    signature, _, rest = doc.partition("\n")
    found = re.match(r"\w+\((.*)\) -> (.*)$", signature)
    lines = OVERLOADS.get(name)
    if lines is None:
        result = result_type(found[2], name, rest)
        lines = []
        for parameters in overloads(name, _calls._split(found[1])):
            words = [parameter(*each, owner=name) for each in parameters[is_method:]]
            lines.append(f"({', '.join(['self'] * is_method + words)}) -> {result}")
    for line in lines:
        yield from [indent + "@overload"] * (len(lines) > 1)
        yield from [indent + "@staticmethod"] * (not is_method and bool(indent))
        yield f"{indent}def {name.rpartition('.')[2]}{line}: ..."


def members(name, cls):
    """The lines of a class. `Final` names what programs read and do not set."""
    for key, member in vars(cls).items():
        path = f"{name}.{key}"
        if isinstance(member, property):
            signature = member.fget.__doc__.partition("\n")[0]
            kind = result_type(signature.rpartition(" -> ")[2], path, member.__doc__ or "")
            yield f"    {key}: Final[{kind}]"
        elif key != "__repr__" and re.match(key + r"\(", getattr(cls, key).__doc__ or ""):
            is_method = not isinstance(member, staticmethod)
            yield from call(path, getattr(cls, key).__doc__, "    ", is_method)


def stub():
    yield "from collections.abc import Callable, Iterable, Sequence"
    yield "from typing import Any, Final, Literal, TypeVar, overload"
    yield "\nimport numpy as np\nimport numpy.typing as npt\n"
    yield ("from ._types import Buffer, Format, Hashing, Key, KeyKind, Keys, Path, Reader, "
           "Writer\n")
    yield f"_Isa = Literal{sys.argv[2:]}"
    yield '_T = TypeVar("_T")\n__version__: str\nisa_floor: str'
    for name, thing in vars(_simdbloom).items():
        if name.startswith("_") or isinstance(thing, str):
            continue
        if not inspect.isclass(thing):
            yield from call(name, thing.__doc__, "", False)
            continue
        yield f"\nclass {name}{'(ValueError)' * issubclass(thing, ValueError)}:"
        if issubclass(thing, ValueError):
            names = ", ".join(re.findall(r"'\w+'", thing.__doc__))
            yield f"    fault: Final[Literal[{names}]]"
        yield from members(name, thing)


with open(os.path.join(FOLDER, "__init__.pyi"), "w", encoding="utf-8") as file:
    file.writelines(line + "\n" for line in stub())
