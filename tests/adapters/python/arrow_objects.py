"""Objects with Arrow's PyCapsule interface, made by ctypes: what polars and pyarrow have."""

import ctypes as c

import numpy as np

Release = c.CFUNCTYPE(None, c.c_void_p)
Get = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p)
GetError = c.CFUNCTYPE(c.c_void_p, c.c_void_p)


def _struct(name, **fields):
    return type(name, (c.Structure,), {"_fields_": [
        (field, getattr(c, kind)) for kind, names in fields.items() for field in names.split()]})


Schema = _struct("Schema", c_char_p="format name metadata", c_int64="flags n_children",
                 c_void_p="children dictionary release private_data")
Array = _struct("Array", c_int64="length null_count offset n_buffers n_children",
                c_void_p="buffers children dictionary release private_data")
Stream = _struct("Stream", c_void_p="get_schema get_next get_last_error release private_data")

_new = c.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]

_pointer = c.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]

live = {}  # what was handed out and not released, by the address in private_data
_numbers = iter(range(1, 1 << 62))


def _release_of(struct):

    def release(address):
        one = struct.from_address(address)
        for part in live.pop(one.private_data):
            for child in part if isinstance(part, list) else [part]:
                if isinstance(child, (Schema, Array)) and child.release:
                    Release(child.release)(c.addressof(child))
        one.release = None

    return Release(release)


_releases = {struct: _release_of(struct) for struct in (Schema, Array, Stream)}


def _keep(struct, *parts):
    """Keeps the parts until the consumer releases the struct."""
    struct.private_data = next(_numbers)
    struct.release = c.cast(_releases[type(struct)], c.c_void_p).value
    live[struct.private_data] = parts
    return struct


_capsules = []  # the structs that capsules point to; the consumer moves their content out


def capsule(struct, name):
    _capsules.append((struct, name))
    return _new(c.addressof(struct), name, None)


class Column:
    """A column: an Arrow format, buffers, and perhaps children or a dictionary."""
    def __init__(self, fmt, length, buffers, offset=0, children=(), dictionary=None, name=b""):
        self.fmt, self.length, self.offset, self.name = fmt, length, offset, name
        self.buffers = [None if b is None else np.ascontiguousarray(b) for b in buffers]
        self.children, self.dictionary = list(children), dictionary

    def _parts(self, kind):
        """The addresses of the children's and the dictionary's structs, and what they need."""
        parts = [getattr(child, kind)() for child in self.children]
        pointers = (c.c_void_p * len(parts))(*map(c.addressof, parts))
        words = getattr(self.dictionary, kind)() if self.dictionary else None
        addresses = c.cast(pointers, c.c_void_p), words and c.addressof(words)
        return addresses, (parts, pointers, words)

    def schema(self):
        addresses, parts = self._parts("schema")
        return _keep(Schema(self.fmt, self.name, None, 2, len(self.children), *addresses), *parts)

    def array(self):
        addresses, parts = self._parts("array")
        buffers = (c.c_void_p * len(self.buffers))(
            *[None if b is None else b.ctypes.data for b in self.buffers])
        return _keep(Array(self.length, -1, self.offset, len(self.buffers), len(self.children),
                           c.cast(buffers, c.c_void_p), *addresses), *parts, buffers, self.buffers)

    def __arrow_c_array__(self, requested_schema=None):
        return capsule(self.schema(), b"arrow_schema"), capsule(self.array(), b"arrow_array")


class Chunks:
    """A stream of columns of one type. `before` is called before each batch."""
    def __init__(self, columns, fails_after=None, before=lambda: None):
        self.columns, self.fails_after, self.before = columns, fails_after, before

    def __arrow_c_stream__(self, requested_schema=None):
        rest = iter(self.columns)
        words = c.create_string_buffer(b"the disk is on fire")
        given = [0]

        def get_schema(_, out):
            c.memmove(out, c.byref(self.columns[0].schema()), c.sizeof(Schema))
            return 0

        def get_next(_, out):
            self.before()
            if given[0] == self.fails_after:
                return 5
            given[0] += 1
            column = next(rest, None)
            array = column.array() if column else Array()
            c.memmove(out, c.byref(array), c.sizeof(Array))
            return 0

        calls = Get(get_schema), Get(get_next), GetError(lambda _: c.addressof(words))
        stream = Stream(*[c.cast(call, c.c_void_p).value for call in calls])
        return capsule(_keep(stream, calls, words), b"arrow_array_stream")


def integers(values, valid=None, offset=0, fmt=b"l"):
    values = np.asarray(values)
    bits = None if valid is None else np.packbits(valid, bitorder="little")
    return Column(fmt, len(values) - offset, [bits, values], offset)


def strings(words, fmt=b"u"):
    utf8 = [w.encode() for w in words]
    ends = np.cumsum([0] + [len(w) for w in utf8])
    kind = np.int32 if fmt == b"u" else np.int64
    data = np.frombuffer(b"".join(utf8) or b" ", np.uint8)
    return Column(fmt, len(words), [None, ends.astype(kind), data])


def read(column):
    """The format and the values of a column of bools or uint32, which is released then."""
    capsules = column.__arrow_c_array__()
    schema = Schema.from_address(_pointer(capsules[0], b"arrow_schema"))
    array = Array.from_address(_pointer(capsules[1], b"arrow_array"))
    assert array.n_buffers == 2 and array.null_count == 0
    data = (c.c_void_p * 2).from_address(array.buffers)[1]
    kind, n = (np.uint8, (array.length + 7) // 8) if schema.format == b"b" else (
        np.uint32, array.length)
    size = n * np.dtype(kind).itemsize
    values = np.frombuffer(c.string_at(data, size) if size else b"", kind)
    if schema.format == b"b":
        values = np.unpackbits(values, count=array.length, bitorder="little").astype(bool)
    found = bytes(schema.format), values
    for part in (schema, array):
        Release(part.release)(c.addressof(part))
        assert not part.release
    return found


def struct(children, length):
    return Column(b"+s", length, [None], children=children)
