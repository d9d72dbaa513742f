"""Changes every part of files that verify, with the old digest and with a new one, and compares all that judge it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

from opentine_gui import cli
from opentine_gui.app.inspect import integrity
from opentine_gui.core import TineError, Verdict, verify
from opentine_gui.core.files import storage
from opentine_gui.core.files.digest import digest_of
from opentine_gui.core.format.container import unwrap
from tests.app.conftest import Bench
from tests.attack.campaign import Attack, Campaign
from tests.attack.children import attack_in_children
from tests.attack.disk.workloads import at_home
from tests.attack.files.mutations import samples

HASHED = {"kind", "inputs", "outputs", "model_info", "tool_info", "error", "parent_ids"}
"""What a step's id is made of, by its names in the file (docs/FORMAT.md, section 5)."""
EXITS = {Verdict.VERIFIED: 0, Verdict.CONTRADICTED: 1, Verdict.NOT_VERIFIED: 3}
COLOURS = {Verdict.VERIFIED: {"good"}, Verdict.CONTRADICTED: {"bad"}, Verdict.NOT_VERIFIED: {"quiet", "human"}}
MOST_PLACES = 400


def run(campaign: Campaign) -> None:
    """Every place of every file that verifies, changed in several ways."""
    seeds = []
    for data in samples():
        try:
            if verify(storage.reader.decode(data)).verdict is Verdict.VERIFIED:
                text = unwrap(data)[0].removeprefix(b"\xef\xbb\xbf").decode()
                json.dumps(json.loads(text))
                seeds.append(text)
        except (TineError, ValueError, RecursionError):
            continue
    cases = [
        (number, place, way) for number, text in enumerate(seeds) for place in _places(json.loads(text)) for way in WAYS
    ]
    campaign.random.shuffle(cases)
    special = [(number, (), way) for number in range(len(seeds)) for way in SPECIAL]
    cases = special[:: max(1, len(special) // 200)] + cases
    at_home(campaign.folder / "home")
    count = min(len(cases), campaign.full)
    attack_in_children(campaign, partial(_one, campaign.folder, seeds, cases), count)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for number, (key, inner) in enumerate(items):
        if number < MOST_PLACES:
            yield (*path, key)
            yield from _places(inner, (*path, key))


# --- ways to change a place: None where it does not apply -----------------------------------------------------------


def _other(container: Any, key: Any) -> bool:
    inner = container[key]
    if isinstance(inner, str):
        container[key] = inner + "x" if inner != "x" else "y"
    elif isinstance(inner, bool) or inner is None:
        container[key] = "x" if inner is None else not inner
    elif isinstance(inner, (int, float)):
        container[key] = inner + 1
    else:
        return False
    return True


def _gone(container: Any, key: Any) -> bool:
    del container[key]
    return True


def _more(container: Any, key: Any) -> bool:
    inner = container[key]
    if isinstance(inner, dict):
        inner["added"] = "x"
    elif isinstance(inner, list):
        inner.append("x")
    else:
        return False
    return True


def _empty(container: Any, key: Any) -> bool:
    inner = container[key]
    if not inner or not isinstance(inner, (dict, list, str)):
        return False
    container[key] = type(inner)()
    return True


WAYS = {"other": _other, "gone": _gone, "more": _more, "empty": _empty}


def _set_integrity(value: Any, **fields: Any) -> bool:
    value["metadata"]["integrity"] = {**value["metadata"]["integrity"], **fields}
    return True


def _cut_ids(value: Any) -> bool:
    ids = list(value["graph"]["steps"])
    if not ids or len(ids[0]) != 64:
        return False
    text = json.dumps(value).replace(ids[0], ids[0][:63])
    value.clear()
    value.update(json.loads(text))
    return True


SPECIAL = {
    "no digest": lambda value: _gone(value["metadata"], "integrity"),
    "no integrity digest": lambda value: _gone(value["metadata"]["integrity"], "digest"),
    "another algorithm": lambda value: _set_integrity(value, algorithm="md5"),
    "a malformed digest": lambda value: _set_integrity(value, digest="00"),
    "a wrong digest": lambda value: _set_integrity(value, digest="0" * 64),
    "an id cut": _cut_ids,
}
NOT_VERIFIED = {"no digest", "no integrity digest", "another algorithm", "a malformed digest"}


def _one(folder: Path, seeds: list[str], cases: list[Any], number: int) -> list[str]:
    seed, place, way = cases[number]
    wrong = []
    for again in (False, True):
        value = json.loads(seeds[seed])
        was_empty = False
        if place:
            container = value
            for key in place[:-1]:
                container = container[key]
            was_empty = not container[place[-1]]
            if not WAYS[way](container, place[-1]):
                return []
        elif not SPECIAL[way](value):
            return []
        what = f"{way} at {_general(place)}" if place else way
        if again and not _digest_anew(value):
            continue
        if value == json.loads(seeds[seed]):
            continue
        path = folder / f"{number % 64}.tine"
        path.write_text(json.dumps(value))
        found = judge(path)
        if isinstance(found, str) and not isinstance(found, Verdict):
            wrong.append(f"{what}{', new digest' if again else ''}: {found}")
        elif found is not None:
            expected = None if way == "gone" and was_empty else _expected(place, way, again)
            if expected is not None and found not in expected:
                wrong.append(f"{what}{', new digest' if again else ''}: {found.value}, not {expected}")
    return wrong


def _general(place: tuple[Any, ...]) -> str:
    names = [str(key) if not isinstance(key, int) and len(str(key)) < 20 else "…" for key in place]
    return ".".join(names[:5])


def _digest_anew(value: Any) -> bool:
    """Write the digest that the changed content has, as a forger does."""
    try:
        record = storage.reader.decode(json.dumps(value).encode())
        value["metadata"]["integrity"]["digest"] = digest_of(record)
    except (TineError, KeyError, TypeError):
        return False
    return True


def _expected(place: tuple[Any, ...], way: str, again: bool) -> set[Verdict] | None:
    """The verdicts that are right for a change; None where several things change at once."""
    if not place:
        if again:
            return None
        return {Verdict.NOT_VERIFIED} if way in NOT_VERIFIED else {Verdict.CONTRADICTED}
    if place[0] == "metadata":
        if len(place) == 1 or place[1] in ("integrity", "fork", "merge"):
            return None
        return {Verdict.VERIFIED}
    if not again:
        return {Verdict.CONTRADICTED}
    if place[:2] == ("graph", "steps") and len(place) >= 4 and place[3] in HASHED:
        return {Verdict.CONTRADICTED, Verdict.NOT_VERIFIED}  # the latter for ids that are no content addresses
    return None


def judge(path: Path) -> Verdict | str | None:
    """What the core says of a file, if window and command line say the same; None if it cannot be read."""
    try:
        verdict = verify(path).verdict
    except TineError:
        verdict = None
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors):
        status = cli.main(["verify", str(path)])
    if status != (2 if verdict is None else EXITS[verdict]):
        return f"the command line exits with {status} where the core says {verdict}"
    if verdict is None:
        return None
    if verdict.value not in output.getvalue():
        return f"the command line says {output.getvalue()[:200]!r} where the core says {verdict}"
    bench = Bench(path.parent)
    try:
        document = bench.open(path.name)
        words, colour, _ = integrity.verdict(document)
    finally:
        bench.session.close()
    if colour not in COLOURS[verdict]:
        return f"the window says {words!r} in {colour} where the core says {verdict}"
    return verdict


ATTACK = Attack(
    "tampering", "window, command line and core say the same, and never more than was checked", run, 1.0, 20_000
)
