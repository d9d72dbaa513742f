"""What the command line prints: one-line errors, and recorded text that cannot steer the terminal."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

from opentine_gui.command_line import PROGRAM
from opentine_gui.scene.text import clean

LONGEST_LINE = 2000


def one_line(text: str, limit: int = LONGEST_LINE) -> str:
    """`text` on one line of at most `limit` characters, with nothing in it that could steer a terminal."""
    return clean(text, limit)


def complain(message: object) -> None:
    """One line on stderr in the program's name."""
    print(f"{PROGRAM}: {one_line(str(message))}", file=sys.stderr)


def warn(message: object) -> None:
    """One line on stderr that something is to be known, though the command goes on."""
    complain(f"warning: {message}")


def read_json_object(text: str) -> dict[str, Any]:
    """The JSON object in `text`; ValueError with a sentence for other JSON, duplicate keys, NaN and lone surrogates."""
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("the JSON text holds a lone surrogate, which no file can store") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise ValueError("the JSON text is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError('expected a JSON object, such as \'{"text": "…"}\'')
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("the JSON text gives one key twice")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is too large a number")
    return value
