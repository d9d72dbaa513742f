"""Hides what looks like a secret, in texts and in whole records, before they are shown to others or exported.

Wider than `secret_words`, which warns: a word too many that is hidden costs little. A secret is replaced by its kind in
about its own length, so that what is around it stays in place. What has no known form is not
found; whoever hides has to say so.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterator
from typing import Any, NamedTuple

import msgspec

from opentine_gui.core.analysis.secret_forms import FORMS, Form, is_login, may_hold
from opentine_gui.core.analysis.secret_names import (
    LONGEST,
    Given,
    Name,
    end_of_run,
    is_secret,
    name_of_key,
    places_of_names,
    value_at,
)
from opentine_gui.core.graph.graph import Graph, Raw
from opentine_gui.core.progress import Pace
from opentine_gui.core.record import RunRecord

SIGN = "•"
WIDTHS = ((16, 16), (40, 28), (10**9, 40))
"""(characters of a secret up to which, characters shown in its place)."""
STEPS_BETWEEN = 100
_KEPT = frozenset({"id", "parent_ids", "causal_ids", "kind", "v3_kind"})
"""Members of a step's record by which others find it."""
_LONGEST_KEY = 40
"""Characters of a key that names a secret: longer ones are looked at as texts only."""
_HOLD = frozenset({"value", "data", "secret"})
"""Members that hold what an object under a key like `password` is about."""
_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
_LOGINS = frozenset({"-u", "--user", "-U", "--proxy-user"})
CUT = "…"
_GOES_ON = ("0" * 60, f"{'0' * 8}.{'0' * 16}.{'0' * 16}")
"""How a secret may go on: digits are in all of them, and some have points."""
_LONGEST_CUT, _MOST_CUTS = 400, 8
_LENGTH_OF_AWS_KEY = 20
_ESCAPED = re.compile(rb"\\u00[2-7]")
"""An escape in JSON that may stand for a letter of what is looked for."""


class Hidden(NamedTuple):
    """A text without its secrets, and the kind of each that was hidden."""

    text: str
    kinds: tuple[str, ...] = ()


def hide(text: str) -> Hidden:
    """A text in which what looks like a secret is replaced by its kind."""
    low = text.lower()
    if not may_hold(low):
        return Hidden(text)
    kinds: list[str] = []
    for form in FORMS:
        if any(word in low for word in form.words):
            text = _without(text, form, kinds)
    text = _without_given(text, kinds)
    return Hidden(text, tuple(kinds))


def hide_cut(text: str) -> Hidden:
    """A text, shortened with "…", as `hide` makes it: what was cut off there is hidden if, had it gone on, it were."""
    found = hide(text)
    if CUT not in text:
        return found
    kinds = [*found.kinds]
    parts = found.text.split(CUT)
    for number in range(min(len(parts) - 1, _MOST_CUTS)):
        parts[number] = _cut_off(parts[number], kinds)
    return Hidden(CUT.join(parts), tuple(kinds))


def _cut_off(text: str, kinds: list[str]) -> str:
    """A text that went on without a secret that its end would have been the beginning of."""
    end = text[-_LONGEST_CUT:]
    if not end or end[-1].isspace():
        return text
    for more in (*_GOES_ON, "0" * (_LENGTH_OF_AWS_KEY - len(end.rsplit(None, 1)[-1]))):
        told = hide(end + more)
        if told.kinds:
            kinds += told.kinds
            return text[: len(text) - len(end)] + told.text.removesuffix(more)
    return text


def _without(text: str, form: Form, kinds: list[str]) -> str:
    parts: list[str] = []
    done = 0
    group = "s" if "s" in form.pattern.groupindex else 0
    for match in form.pattern.finditer(text):
        if form.check is not None and not form.check(match):
            continue
        begin, end = match.span(group)
        parts += [text[done:begin], shown(form.kind, end - begin)]
        done = end
        kinds.append(form.kind)
    return "".join([*parts, text[done:]]) if parts else text


def _without_given(text: str, kinds: list[str]) -> str:
    """A text without the values that are given to names like `password`."""
    low = text.lower()
    if len(low) != len(text):  # a letter whose lower case is two: places would not be the same
        low = "".join(sign.lower() if sign.isascii() else sign for sign in text)
    parts: list[str] = []
    done = place = 0
    for begin in places_of_names(low):
        found = value_at(text, begin) if begin >= place else None
        if found is None:
            continue
        place = found.begin  # another name may stand in what is none
        if found.is_secret(text):
            end = found.end
            if end - found.begin == LONGEST:
                end = end_of_run(text, end)
            parts += [text[done : found.begin], shown(found.name.kind, end - found.begin)]
            done = place = end
            kinds.append(found.name.kind)
    return "".join([*parts, text[done:]]) if parts else text


def shown(kind: str, length: int) -> str:
    """What stands in the place of a secret of so many characters."""
    width = next(width for most, width in WIDTHS if length <= most)
    return f"{SIGN * 4}[{kind}]".ljust(width, SIGN)


# -- records --------------------------------------------------------------------------------------------------------


class HiddenJson(NamedTuple):
    """JSON without its secrets, and the kind of each; the same object where there were none."""

    raw: Raw
    kinds: tuple[str, ...] = ()


def hide_in_json(raw: Raw, kept: frozenset[str] = frozenset()) -> HiddenJson:
    """JSON whose texts are hidden as `hide` does, and texts and numbers under a key like `password` whole, also where
    an object there holds them as its `value`, `data` or `secret`, and no other member. `kept` keys stay as they are at
    the top. What cannot be decoded is hidden as a text.
    """
    data = bytes(raw)
    if not may_hold(data.decode("latin-1").lower()) and _ESCAPED.search(data) is None:
        return HiddenJson(raw)
    kinds: list[str] = []
    try:
        value = msgspec.json.decode(data)
        if isinstance(value, dict) and kept:
            found: Any = {key: member if key in kept else _walk(member, kinds, key) for key, member in value.items()}
        else:
            found = _walk(value, kinds)
        return HiddenJson(msgspec.json.encode(found), tuple(kinds)) if kinds else HiddenJson(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        text, kinds_of_text = hide(data.decode("utf-8", "surrogateescape"))
        return HiddenJson(text.encode("utf-8", "surrogateescape"), kinds_of_text) if kinds_of_text else HiddenJson(raw)


def _walk(value: Any, kinds: list[str], key: str = "") -> Any:
    """A value of JSON without its secrets; `key` is the one it stands under. However deep it is, nothing is raised."""
    whole: list[Any] = [value]
    waiting: list[tuple[Any, Any, str]] = [(whole, 0, key)]
    while waiting:
        into, place, key = waiting.pop()
        value = into[place]
        if isinstance(value, str):
            into[place] = _member(value, kinds, key)
        elif isinstance(value, int | float):
            into[place] = _number(value, kinds, key)
        elif isinstance(value, dict):
            into[place] = made = dict[str, Any]()
            strong, numbers = _strong(key) is not None, itertools.count(2)
            for name, member in value.items():
                new = _key(name, value, made, numbers, kinds)
                made[new] = member
                waiting.append((made, new, key if strong and name in _HOLD else name))
        elif isinstance(value, list):
            into[place] = items = [*value]
            for number, item in enumerate(value):
                option = value[number - 1] if number else ""
                if isinstance(item, str) and isinstance(option, str) and option.startswith("-"):
                    items[number] = _argument(item, kinds, option, value[0])
                else:
                    waiting.append((items, number, key))
    return whole[0]


def _key(name: str, whole: Container[str], made: Container[str], numbers: Iterator[int], kinds: list[str]) -> str:
    """The key of a member as it is `made`: one that is hidden is unlike all others and those of the `whole` object.

    The `numbers` go on from key to key: however many keys look like hidden ones, each number is tried once.
    """
    found = hide(name)
    if not found.kinds:
        return name
    kinds += found.kinds
    new = found.text
    while new in whole or new in made:
        new = f"{found.text} {next(numbers)}"
    return new


def _argument(value: str, kinds: list[str], option: str, program: Any) -> str:
    """An argument of a command after an option, as in `["curl", "-u", "user:password"]`."""
    if option in _LOGINS and isinstance(program, str) and program.endswith("curl"):
        return _after(f"curl {option} ", value, kinds)
    return _member(value, kinds, option.lstrip("-"))


def _strong(key: str) -> Name | None:
    """What a key like `password` says of its value; None for one like `token`, which may as well count some."""
    name = name_of_key(key) if key and len(key) < _LONGEST_KEY else None
    return name if name is not None and name.strong else None


def _number(value: float, kinds: list[str], key: str) -> Any:
    """A number that stands under a key: hidden where the same digits would be as a text."""
    name = _strong(key)
    if name is None or isinstance(value, bool) or not is_secret(str(value), name, Given(member=True)):
        return value
    kinds.append(name.kind)
    return shown(name.kind, len(str(value)))


def _member(value: str, kinds: list[str], key: str) -> str:
    """A text that stands under a key."""
    if key and len(key) < _LONGEST_KEY:
        name, header = name_of_key(key), key.lower()
        if name is not None and (len(value) <= LONGEST or len(value.split(None, 1)) == 1):
            if is_secret(value, name, Given(member=True)):
                kinds.append(name.kind)
                return shown(name.kind, len(value))
        elif header in _HEADERS:
            return _after(f"{key}: ", value, kinds)
        elif header == "auth" and is_login(value):
            kinds.append("login")
            return shown("login", len(value))
    return _after("", value, kinds)


def _after(before: str, value: str, kinds: list[str]) -> str:
    """A text as it is hidden after words that stay."""
    text, found = hide(before + value)
    kinds += found
    return text[len(before) :] if found else value


class HiddenRecord(NamedTuple):
    """A record without its secrets, and for each step that had some their kinds; "" stands for the run itself."""

    record: RunRecord
    kinds: dict[str, tuple[str, ...]]

    @property
    def total(self) -> int:
        """How many were hidden."""
        return sum(map(len, self.kinds.values()))


def hide_in_step(graph: Graph, position: int) -> HiddenJson:
    """The record of a step without its secrets; its id and what it rests on stay."""
    return hide_in_json(graph.raws[position], _KEPT)


def hide_in_record(record: RunRecord, pace: Pace | None = None) -> HiddenRecord:
    """A record to be shown or exported in place of another: ids, links and figures are the same, secrets are not there.

    It is not to be saved as a run: its steps no longer match their ids. Cancelled through `pace`.
    """
    pace = pace or Pace()
    graph = record.graph
    raws = list(graph.raws)
    kinds: dict[str, tuple[str, ...]] = {}
    for position in range(len(raws)):
        if position % STEPS_BETWEEN == 0:
            pace.at(position / len(raws))
        found = hide_in_step(graph, position)
        if found.kinds:
            raws[position], kinds[graph.ids[position]] = found.raw, found.kinds
    texts: dict[str, Any] = {}
    told: list[str] = []
    for name in ("metadata", "manifest", "policies", "extra", "graph_extra"):
        texts[name] = _walk(getattr(record, name), told)
    for name in ("cache_text", "transcript_text"):
        found = hide_in_json(getattr(record, name))
        texts[name] = found.raw
        told += found.kinds
    if told:
        kinds[""] = tuple(told)
    if not kinds:
        return HiddenRecord(record, kinds)
    made = Graph(graph.ids, graph.parents, raws, graph.columns, dict(graph.positions))
    return HiddenRecord(msgspec.structs.replace(record, graph=made, origins=(), **texts), kinds)


def said(count: int) -> str:
    """In how many places something was hidden, and that there may be others."""
    if not count:
        return "No secret recognised; check for others yourself"
    return f"Secrets hidden in {count:,} place{'' if count == 1 else 's'}; check for others yourself"
