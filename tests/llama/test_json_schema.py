"""A JSON schema becomes a grammar, or is refused: nothing in it is passed over."""

import json

import pytest

from localspec.errors import UsageError
from localspec.llama.gbnf import Gbnf
from localspec.llama.json_schema import to_gbnf

PERSON = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Person",
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "given and family", "maxLength": 20},
        "title": {"enum": ["Dr", None, 3]},
        "born": {"type": "string", "format": "date"},
        "tags": {"type": "array", "items": {"type": ["string", "null"]}, "maxItems": 3},
        "mother": {"$ref": "#/$defs/parent"},
        "extra": {},
    },
    "required": ["name"],
    "additionalProperties": False,
    "$defs": {"parent": {"anyOf": [{"type": "null"}, {"type": "integer"}]}},
}


@pytest.mark.parametrize(
    "schema",
    [
        PERSON,
        {},
        {"description": "anything"},
        {"type": "number"},
        {"const": {"a": [1]}},
        {"type": "array"},
        {"items": {"type": "boolean"}},
        {"type": "array", "minItems": 2},
        {"prefixItems": [{"type": "string"}, {"type": "number"}]},
        {"type": "string", "pattern": "^[a-z]+$"},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object", "additionalProperties": True},
        {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"a": {}}}]},
        {"allOf": [{"properties": {"a": {"type": "null"}}, "required": ["a"]}]},
    ],
)
def test_the_grammar_can_be_used(schema: object) -> None:
    Gbnf(to_gbnf(json.dumps(schema)))


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("{", "is not JSON"),
        ("", "is not JSON"),
        ("[]", "the schema is not an object"),
        ("false", "the schema is not an object"),
        ('{"type": "integer", "minimum": 3}', "the schema uses minimum"),
        ('{"type": "strin"}', "has the type strin"),
        ('{"type": ["string", "date"]}', "has the type"),
        ('{"type": ["string", "null"], "maxLength": 3}', "uses maxLength"),
        ('{"type": "array", "items": {}, "uniqueItems": true}', "uses uniqueItems"),
        ('{"properties": {"a": {"not": {}}}}', "the schema/properties/a uses not"),
        ('{"type": "string", "format": "email"}', "has the format email"),
        ('{"type": "string", "pattern": "^a$", "maxLength": 3}', "uses maxLength"),
        ('{"type": "string", "pattern": "a"}', "must start"),
        ('{"type": "string", "minLength": 5, "maxLength": 3}', "maxLength below"),
        ('{"type": "array", "items": {}, "minItems": -1}', "has -1"),
        ('{"type": "array", "items": {}, "minItems": 1.5}', "has 1.5"),
        ('{"anyOf": [{"type": "null"}], "properties": {}}', "uses properties"),
        ('{"anyOf": []}', "empty anyOf"),
        ('{"enum": []}', "empty enum"),
        ('{"allOf": [{"type": "string"}]}', "allOf can't join"),
        ('{"type": "object", "required": ["a"]}', "requires a"),
        ('{"patternProperties": {}}', "uses patternProperties"),
        ('{"$ref": "https://example.com/x.json"}', "Fetching"),
        ('{"$ref": "#/$defs/none"}', "Error resolving"),
        ('{"items": ' * 2000 + "{}" + "}" * 2000, "nested too deep"),
    ],
)
def test_what_would_have_no_effect_is_refused_in_a_sentence(schema: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as refused:
        to_gbnf(schema)
    assert "\n" not in refused.value.message
