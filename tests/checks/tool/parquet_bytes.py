"""A small Parquet file, byte by byte."""


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def struct(*fields):
    """Thrift's compact protocol: fields of (number, type, bytes)."""
    out, before = b"", 0
    for number, kind, value in fields:
        out += bytes([(number - before) << 4 | kind]) + value
        before = number
    return out + b"\0"


def parquet_file(column=b"id", created_by=b"a test"):
    """A column of 64-bit integers in one row group, whose filter finds everything."""
    i32, i64, binary, array, nested = 5, 6, 8, 9, 12
    whole = lambda number: varint(2 * number)
    text = lambda value: varint(len(value)) + value
    items = lambda kind, *values: bytes([len(values) << 4 | kind]) + b"".join(values)
    union = struct((1, nested, struct()))
    bits = struct((1, i32, whole(32)), (2, nested, union), (3, nested, union), (4, nested, union))
    body = b"PAR1" + bits + b"\xff" * 32
    data = struct((1, i32, whole(2)), (2, array, items(i32, whole(0))),
                  (3, array, items(binary, text(column))), (4, i32, whole(0)), (5, i64, whole(9)),
                  (6, i64, whole(0)), (7, i64, whole(0)), (9, i64, whole(4)), (14, i64, whole(4)))
    chunk = struct((2, i64, whole(4)), (3, nested, data))
    group = struct((1, array, items(nested, chunk)), (2, i64, whole(0)), (3, i64, whole(9)))
    schema = items(nested, struct((4, binary, text(b"schema")), (5, i32, whole(1))),
                   struct((1, i32, whole(2)), (3, i32, whole(0)), (4, binary, text(column))))
    footer = struct((1, i32, whole(1)), (2, array, schema), (3, i64, whole(9)),
                    (4, array, items(nested, group)), (6, binary, text(created_by)))
    return body + footer + len(footer).to_bytes(4, "little") + b"PAR1"
