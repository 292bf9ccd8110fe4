"""A JSON schema as a grammar, by the binding's converter.

The converter passes over what it doesn't know, so a schema is checked before: a keyword that would
have no effect is refused.
"""

from __future__ import annotations

import json
from typing import Any

from llama_cpp import llama_grammar

from localspec.errors import UsageError

_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
_ANY = {"type": ["object", "array", "string", "number", "boolean", "null"]}
_NOTES = {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"} | {
    "$schema",
    "$id",
    "$comment",
}
"""Keywords that say nothing about which values fit."""
_DEFINITIONS = ("$defs", "definitions")
_KEYWORDS = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "prefixItems", "minItems", "maxItems"},
    "string": {"minLength", "maxLength", "pattern", "format"},
}
_FORMATS = ("date", "time", "date-time", "uuid", "uuid1", "uuid2", "uuid3", "uuid4", "uuid5")


class _Converter(llama_grammar.SchemaConverter):  # type: ignore[misc]
    """The binding's converter, with its strings mended."""

    def __init__(self) -> None:
        super().__init__(prop_order={}, allow_fetch=False, dotall=False, raw_pattern=False)

    def convert(self, schema: dict[str, Any]) -> str:
        self.visit(self.resolve_refs(schema, "stdin"), "")
        grammar: str = self.format_grammar()
        # Its strings may hold line breaks, which JSON's may not.
        return grammar.replace('char ::= [^"\\\\]', 'char ::= [^"\\\\\\x00-\\x1F]')

    def _format_literal(self, literal: str) -> str:
        """Of a name or value as JSON. The binding leaves backslashes, which GBNF reads again, and
        halves of characters."""
        text = json.dumps(json.loads(literal), ensure_ascii=False)
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def to_gbnf(source: str) -> str:
    """Raises UsageError when the schema can't be honoured."""
    try:
        schema = json.loads(source)
        checked = _checked(schema, "the schema")
        grammar = _Converter().convert(checked)
    except json.JSONDecodeError as error:
        raise UsageError(f"The JSON schema is not JSON: {error}.") from None
    except RecursionError:
        raise UsageError("The JSON schema is nested too deep.") from None
    except UsageError:
        raise
    except Exception as error:
        # The converter says what it can't do by assertions and lookups that fail.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(f"The JSON schema can't be used: {reason}.") from None
    return grammar


def _checked(schema: Any, where: str) -> dict[str, Any]:
    """The schema as the converter understands it: without notes, and with `{}` spelled out."""
    if schema is True:
        return dict(_ANY)
    if not isinstance(schema, dict):
        raise _refused(where, "is not an object")
    known = {key: value for key, value in schema.items() if key not in _NOTES}
    result: dict[str, Any] = {}
    for name in _DEFINITIONS:
        if name in known:
            result[name] = _each(known.pop(name), f"{where}/{name}")
    if not known:
        return result | _ANY
    return result | _typed(known, where)


def _typed(known: dict[str, Any], where: str) -> dict[str, Any]:
    """One of the forms that the converter reads; beside it nothing else is looked at."""
    for form in ("$ref", "oneOf", "anyOf", "allOf"):
        if form in known:
            _only(known, {form} | ({"type"} if known.get("type") == "object" else set()), where)
            if form == "$ref":
                return {form: known[form]}
            parts = known[form]
            if not isinstance(parts, list) or not parts:
                raise _refused(where, f"has an empty {form}")
            return {
                form: [_part(form, part, f"{where}/{form}/{i}") for i, part in enumerate(parts)]
            }
    for form in ("const", "enum"):
        if form in known:
            # The values are given; a type beside them has to fit, which is the writer's matter.
            _only(known, {form, "type"}, where)
            if form == "enum" and not (isinstance(known[form], list) and known[form]):
                raise _refused(where, "has an empty enum")
            return {form: known[form]}
    kind = known.get("type")
    if isinstance(kind, list):
        _only(known, {"type"}, where)
        if not kind or any(name not in _TYPES for name in kind):
            raise _refused(where, f"has the type {kind}")
        return {"type": kind}
    if kind is None:
        kind = next((name for name, keys in _KEYWORDS.items() if keys & set(known)), None)
    if kind not in _TYPES:
        raise _refused(where, f"has the type {kind}" if kind else f"uses {', '.join(known)}")
    _only(known, {"type"} | _KEYWORDS.get(str(kind), set()), where)
    known["type"] = kind
    if kind == "object":
        return _object(known, where)
    if kind == "array":
        return _array(known, where)
    return _string(known, where) if kind == "string" else known


def _part(form: str, part: Any, where: str) -> dict[str, Any]:
    checked = _checked(part, where)
    # The converter makes one object of the parts: all their properties, and no others.
    if form == "allOf" and "$ref" not in checked and "properties" not in checked:
        raise _refused(where, "has no properties, so allOf can't join it")
    return checked


def _object(known: dict[str, Any], where: str) -> dict[str, Any]:
    if "properties" in known:
        known["properties"] = _each(known["properties"], f"{where}/properties")
    missing = set(known.get("required", [])) - set(known.get("properties", {}))
    if missing:
        raise _refused(where, f"requires {', '.join(sorted(missing))}, which has no schema")
    if isinstance(known.get("additionalProperties"), dict) or known.get("additionalProperties"):
        more = _checked(known["additionalProperties"], f"{where}/additionalProperties")
        known["additionalProperties"] = more
    return known


def _array(known: dict[str, Any], where: str) -> dict[str, Any]:
    if "prefixItems" in known:
        _only(known, {"type", "prefixItems"}, where)
        parts = known["prefixItems"]
        if not isinstance(parts, list) or not parts:
            raise _refused(where, "has an empty prefixItems")
        known["prefixItems"] = [_checked(part, f"{where}/prefixItems") for part in parts]
    elif "items" in known:
        known["items"] = _checked(known["items"], f"{where}/items")
    elif set(known) != {"type"}:
        known["items"] = dict(_ANY)
    return _ranged(known, "minItems", "maxItems", where)


def _string(known: dict[str, Any], where: str) -> dict[str, Any]:
    if "format" in known and known["format"] not in _FORMATS:
        raise _refused(where, f"has the format {known['format']}")
    for key in ("pattern", "format"):
        if key in known:
            _only(known, {"type", key}, where)
    return _ranged(known, "minLength", "maxLength", where)


def _ranged(known: dict[str, Any], low: str, high: str, where: str) -> dict[str, Any]:
    least, most = known.get(low, 0), known.get(high)
    for value in (least, 0 if most is None else most):
        if type(value) is not int or value < 0:
            raise _refused(where, f"has {value} as a {low} or {high}")
    if most is not None and most < least:
        raise _refused(where, f"has a {high} below its {low}")
    return known


def _each(schemas: Any, where: str) -> dict[str, Any]:
    if not isinstance(schemas, dict):
        raise _refused(where, "is not an object")
    return {name: _checked(schema, f"{where}/{name}") for name, schema in schemas.items()}


def _only(known: dict[str, Any], understood: set[str], where: str) -> None:
    if extra := sorted(set(known) - understood):
        raise _refused(where, f"uses {', '.join(extra)}")


def _refused(where: str, what: str) -> UsageError:
    return UsageError(f"The JSON schema can't be honoured: {where} {what}.")
