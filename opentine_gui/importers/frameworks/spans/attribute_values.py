"""Values of exported spans: attributes as plain values, ids as hex, the first of several names that is there."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.sources.fields import figure, object_of, objects_in, text_of

DEEPEST = 8
"""Levels of nested attributes that become dotted names."""


def flat(value: JsonObject, prefix: str = "", depth: int = 0) -> JsonObject:
    """Nested attributes as one level of dotted names; lists stay as they are."""
    found: JsonObject = {}
    for name, item in value.items():
        if isinstance(item, dict) and item and depth < DEEPEST and "." not in name:
            found |= flat(item, f"{prefix}{name}.", depth + 1)
            if not prefix:
                found.setdefault(name, item)
        else:
            found[f"{prefix}{name}"] = item
    return found


def attributes_of(value: Any) -> JsonObject:
    """Attributes of OTLP: a list of `{key, value: {stringValue, …}}`, or a plain object."""
    if isinstance(value, dict):
        return value
    found: JsonObject = {}
    for item in objects_in(value):
        inner = item.get("value")
        if isinstance(inner, dict) and len(inner) == 1 and "stringValue" in inner:  # as most are
            found[text_of(item.get("key"))] = inner["stringValue"]
        else:
            found[text_of(item.get("key"))] = _value(inner, 0)
    return found


def _value(value: Any, depth: int) -> Any:
    if not isinstance(value, dict) or depth > 40:
        return value
    for name, item in value.items():
        plain = name.replace("_", "").lower()
        if plain == "intvalue":
            number = figure(item)
            return int(number) if number is not None else item
        if plain in ("stringvalue", "boolvalue", "doublevalue", "bytesvalue"):
            return item
        if plain == "arrayvalue":
            values = object_of(item).get("values")
            return [_value(one, depth + 1) for one in values] if isinstance(values, list) else []
        if plain == "kvlistvalue":
            pairs = objects_in(object_of(item).get("values"))
            return {text_of(pair.get("key")): _value(pair.get("value"), depth + 1) for pair in pairs}
    return None


def id_in(value: JsonObject, *names: str) -> str:
    """An id under the first name that has one; base64 of 8 or 16 bytes is given as hex."""
    found = ""
    for name in names:
        said = value.get(name)
        if said and isinstance(said, str):
            found = said
            break
    if found.endswith("=") and len(found) in (12, 24):
        try:
            return base64.b64decode(found, validate=True).hex()
        except binascii.Error:
            return found
    return found.lower()


def first_in(value: JsonObject, *names: str) -> Any:
    """What stands under the first of these names that has a value; None where none has."""
    for name in names:
        if (found := value.get(name)) is not None:
            return found
    return None
