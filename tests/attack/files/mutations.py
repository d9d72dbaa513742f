"""Mutates files: bytes, and the JSON in them; the same number gives the same file."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from opentine_gui.core.format.container import wrap
from tests.conftest import run_of

DATA = Path("tests/data")
LARGEST = 60_000
"""Bytes of a file that is mutated: the faults are in its kinds of content, not in its length."""

HOSTILE_TEXTS = (
    "",
    "\x1b[2J\x1b]0;title\x07",
    "\x90" * 500,
    "\u202e\u2066evil\u2069\u200b\u00ad",
    "\u0e33" * 300 + "a" + "\u0300" * 300,
    "<script>alert(1)</script>",
    "![x](http://127.0.0.1/x.png)",
    '=HYPERLINK("http://127.0.0.1","x")',
    "a\nb\r\nc\u2028d\x85e",
    "../../../../etc/passwd",
    "\x00",
    "\ufffe\uffff\U0010ffff",
    "```\n" * 50,
    "[" * 600,
    "{" * 600 + "}" * 600,
    "| a " * 400,
    "diff --git a/a b/b\n@@ -1,99999999999 +1 @@\n-x",
    "Traceback (most recent call last):\n" * 40,
    "data:image/png;base64,iVBORw0KGgo" + "A" * 200,
    '{"a": [1, {"b": "' + "x" * 300 + '"}]}',
    "a,b\n" * 300,
    "x" * 9000,
    "[REDACTED]",
)
HOSTILE_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    -0.0,
    1.7e308,
    -1.7e308,
    5e-324,
    10**400,
    2**53 + 1,
    2**64,
    [],
    {},
    [[]],
    [None],
    {"": ""},
    {"__proto__": {}, "constructor": {}},
    *HOSTILE_TEXTS,
)
RAW_VALUES = (
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"1e999",
    b"-",
    b"01",
    b"0x10",
    b'"\\ud800"',
    b'"\\u0000"',
    b"9" * 4100,
)


def samples() -> list[bytes]:
    """What is mutated: the corpus, hand-made and bad files, the demo, and small runs of other shapes."""
    from opentine_gui.core import encode

    paths = sorted(DATA.rglob("*.tine")) + sorted(Path("assets/demo").rglob("*.tine"))
    found = [path.read_bytes() for path in paths if path.stat().st_size <= LARGEST]
    wide = {"r": "", **{f"c{number}": "r" for number in range(12)}, "m": " ".join(f"c{number}" for number in range(12))}
    cross = {**{f"a{number}": "" for number in range(4)}}
    cross |= {f"b{number}": " ".join(f"a{other}" for other in range(4)) for number in range(4)}
    chain = {str(number): str(number - 1) if number else "" for number in range(25)}
    found += [encode(run_of(shape)) for shape in (wide, cross, chain, {"only": ""}, {})]
    found += [wrap(encode(run_of(chain)), "zlib"), wrap(encode(run_of(chain)), "zstd")]
    return list(dict.fromkeys(found))


def mutated(data: bytes, random: Random) -> bytes:
    """The file with one to four mutations, of its bytes or of its content."""
    times = random.choice((1, 1, 1, 2, 4))
    if random.random() < 0.45:
        for _ in range(times):
            data = random.choice(BYTE_MUTATIONS)(data, random)
        return data
    try:
        value = json.loads(_text_of(data))
    except (ValueError, RecursionError, zlib.error):
        return random.choice(BYTE_MUTATIONS)(data, random)
    for _ in range(times):
        try:
            value = random.choice(VALUE_MUTATIONS)(value, random)
        except RecursionError:  # it nests too deeply to be copied, which is no fault of what is attacked
            break
    return _written(value, random)


def _text_of(data: bytes) -> bytes:
    from opentine_gui.core import TineError
    from opentine_gui.core.format.container import unwrap

    try:
        return unwrap(data)[0]
    except TineError as error:
        raise ValueError from error


def _written(value: Any, random: Random) -> bytes:
    """The value as a file, in one of the layouts that exist, sometimes with a value no JSON has, sometimes packed."""
    indent = random.choice((2, 2, None, 1))
    try:
        text = _indented(json.dumps(value, ensure_ascii=random.random() < 0.5), indent)
    except (ValueError, RecursionError):
        return b"{}"
    if random.random() < 0.08:
        places = [place for place, letter in enumerate(text) if letter in b":,["]
        if places:
            place = random.choice(places) + 1
            text = text[:place] + random.choice(RAW_VALUES) + text[place:]
    if random.random() < 0.05:
        text = wrap(text, random.choice(("zlib", "zstd")))
    return text


def _indented(text: str, indent: int | None) -> bytes:
    """JSON with line ends. Python's own encoder writes them at a fortieth of the speed, but also what is no JSON."""
    data = text.encode("utf-8", "surrogatepass")
    if indent is None:
        return data
    try:
        return msgspec.json.format(data, indent=indent)
    except msgspec.DecodeError:  # NaN, or half of a pair
        ascii_only = data.isascii()
        return json.dumps(json.loads(text), indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")


# --- bytes -----------------------------------------------------------------------------------------------------------


def flip_bit(data: bytes, random: Random) -> bytes:
    """One bit the other way round."""
    if not data:
        return b"\x00"
    changed = bytearray(data)
    changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _set_byte(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data) + 1)
    return data[:place] + bytes([random.choice(b'\x00\x1b"\\{}[],:\x90\xff\xe2019ue-.')]) + data[place + 1 :]


def _cut(data: bytes, random: Random) -> bytes:
    one, other = sorted((random.randrange(len(data) + 1), random.randrange(len(data) + 1)))
    return data[:one] + data[min(other, one + random.choice((1, 8, 200, 10**6))) :]


def _truncate(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _double(data: bytes, random: Random) -> bytes:
    begin = random.randrange(len(data) + 1)
    end = begin + random.choice((1, 8, 64, 1000))
    return data[:end] + data[begin:end] * random.choice((1, 1, 5)) + data[end:]


def _insert(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data) + 1)
    what = random.choice((random.choice(HOSTILE_TEXTS).encode(), random.choice(RAW_VALUES), random.randbytes(6)))
    return data[:place] + what + data[place:]


BYTE_MUTATIONS: tuple[Callable[[bytes, Random], bytes], ...] = (
    flip_bit,
    flip_bit,
    _set_byte,
    _cut,
    _truncate,
    _double,
    _insert,
)


# --- content ---------------------------------------------------------------------------------------------------------


def places(value: Any) -> list[tuple[Any, Any]]:
    """(container, key) of everything in a value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        items = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for key, inner in items:
            found.append((one, key))
            waiting.append(inner)
    return found


def _replace(value: Any, random: Random) -> Any:
    found = places(value)
    if not found or random.random() < 0.01:
        return _hostile_value(random)
    container, key = random.choice(found)
    container[key] = (
        _hostile_value(random)
        if random.random() < 0.8
        else json.loads(
            json.dumps(container[random.choice(_keys(container))])
        )  # no deepcopy: it may be too deep for it
    )
    return value


def _payload(value: Any, random: Random) -> Any:
    """Another value inside what steps and the run hold: most of these files still open."""
    graph = value.get("graph") if isinstance(value, dict) else None
    steps = graph.get("steps") if isinstance(graph, dict) else None
    held = [value.get("metadata"), value.get("cache")] if isinstance(value, dict) else []
    for step in steps.values() if isinstance(steps, dict) else ():
        held += step.values() if isinstance(step, dict) else ()
    containers = [inner for inner in held if isinstance(inner, (dict, list)) and inner]
    if not containers:
        return _replace(value, random)
    container, key = random.choice(places(random.choice(containers)))
    container[key] = _hostile_value(random)
    return value


def _delete(value: Any, random: Random) -> Any:
    found = places(value)
    if found:
        container, key = random.choice(found)
        del container[key]
    return value


def _add(value: Any, random: Random) -> Any:
    containers = [container[key] for container, key in places(value) if isinstance(container[key], (dict, list))]
    if containers:
        container = random.choice(containers)
        extra = _hostile_value(random)
        if isinstance(container, list):
            container.insert(random.randrange(len(container) + 1), extra)
        else:
            container[random.choice(HOSTILE_TEXTS)[:60]] = extra
    return value


def _rename(value: Any, random: Random) -> Any:
    found = [(container, key) for container, key in places(value) if isinstance(container, dict)]
    if found:
        container, key = random.choice(found)
        others = [other for _, other in found if isinstance(other, str)]
        new = random.choice(others) if random.random() < 0.7 else random.choice(HOSTILE_TEXTS)[:80]
        items = [(new if name == key else name, inner) for name, inner in container.items()]
        container.clear()
        container.update(items)
    return value


def _swap(value: Any, random: Random) -> Any:
    """Exchange two values that stand in different places: kinds, ids, payloads."""
    found = places(value)
    if len(found) > 1:
        (one, key), (other, other_key) = random.sample(found, 2)
        mine, theirs = json.dumps(one[key]), json.dumps(other[other_key])
        if len(mine) + len(theirs) < 20_000:
            one[key] = json.loads(theirs)
            if other_key in _keys(other):
                other[other_key] = json.loads(mine)
    return value


def _deepen(value: Any, random: Random) -> Any:
    found = places(value)
    if found:
        container, key = random.choice(found)
        inner = container[key]
        for _ in range(random.choice((3, 60, 490, 600))):
            inner = [inner] if random.random() < 0.5 else {"a": inner}
        container[key] = inner
    return value


def _graph(value: Any, random: Random) -> Any:
    """Change what rests on what: cycles, unknown, doubled and many parents, other ids, another order."""
    steps = (
        value.get("graph", {}).get("steps")
        if isinstance(value, dict) and isinstance(value.get("graph"), dict)
        else None
    )
    if not isinstance(steps, dict) or not steps:
        return _replace(value, random)
    ids = list(steps)
    step = steps[random.choice(ids)]
    if not isinstance(step, dict):
        return value
    match random.randrange(6):
        case 0:
            step["parent_ids"] = random.choices(ids, k=random.randrange(len(ids) + 2))
        case 1:
            step["parent_ids"] = random.sample(ids, random.randrange(len(ids) + 1)) + ["0" * 64] * random.randrange(2)
        case 2:
            step["id"] = random.choice([*ids, "", "x", "f" * 63, "e" * 64])
        case 3:
            old, new = random.choice(ids), random.choice(["a", "b" * 64, "é", "..", "0" * 12, "\x1b[1m"])
            return json.loads(json.dumps(value).replace(json.dumps(old), json.dumps(new)))
        case 4:
            order = value["graph"].get("order")
            if isinstance(order, list):
                random.shuffle(order)
        case _:
            step["kind"] = random.choice(("think", "model", "tool", "error", "merge", "fork", "x", "", "TOOL", "human"))
    return value


def _hostile_value(random: Random) -> Any:
    """One of its own for each place: the next mutation may change it, or put it into itself without end."""
    return deepcopy(random.choice(HOSTILE_VALUES))


def _keys(container: Any) -> list[Any]:
    return list(container) if isinstance(container, dict) else list(range(len(container)))


VALUE_MUTATIONS: tuple[Callable[[Any, Random], Any], ...] = (
    _replace,
    _payload,
    _payload,
    _payload,
    _payload,
    _delete,
    _add,
    _rename,
    _swap,
    _deepen,
    _graph,
    _graph,
)
