"""One value of a GGUF header: a number, a text, or a list of either."""

from localspec.models.gguf_cursor import Cursor, Malformed, StringArray
from localspec.models.gguf_types import ARRAY_TYPE, STRING_TYPE, VALUE_CODES

Value = str | int | float | bool | tuple[int | float | bool, ...] | StringArray

_KEPT_NUMBERS = 4096


def read_value(cursor: Cursor) -> Value:
    kind = cursor.integer("I")
    if kind == STRING_TYPE:
        return cursor.string()
    if kind == ARRAY_TYPE:
        return _array(cursor, cursor.integer("I"), cursor.integer("Q"))
    return cursor.number(_code(kind))


def _array(cursor: Cursor, kind: int, count: int) -> Value:
    if kind == STRING_TYPE:
        return cursor.strings(count)
    code = _code(kind)
    if count <= _KEPT_NUMBERS:
        cursor.spend("numbers in lists", count)
        return cursor.numbers(code, count)
    one = cursor.number(code)
    cursor.skip((count - 1) * _width(code))
    # Long arrays (scores, token types) have no reader here; one number marks their presence.
    return (one,)


def _code(kind: int) -> str:
    if kind not in VALUE_CODES:
        raise Malformed(f"a value of type {kind}")
    return VALUE_CODES[kind]


def _width(code: str) -> int:
    return {"B": 1, "b": 1, "?": 1, "H": 2, "h": 2, "Q": 8, "q": 8, "d": 8}.get(code, 4)
