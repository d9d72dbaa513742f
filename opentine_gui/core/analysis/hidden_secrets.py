"""Hides what looks like a secret, in texts and in whole records, before they are shown to others or exported.

Wider than `secret_words`, which warns: a word too many that is hidden costs little. A secret is replaced by its kind in
about its own length, so that what is around it stays in place. Time is linear in the text: what comes before or inside
a secret is bounded, or taken without going back. What has no known form is not found; whoever hides has to say so.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

import msgspec

from opentine_gui.core.graph.graph import Graph, Raw
from opentine_gui.core.progress import Pace
from opentine_gui.core.record import RunRecord

SIGN = "•"
WIDTHS = ((16, 16), (40, 28), (10**9, 40))
"""(characters of a secret up to which, characters shown in its place)."""
STEPS_BETWEEN = 100
_KEPT = frozenset({"id", "parent_ids", "causal_ids", "kind", "v3_kind"})
"""Members of a step's record by which others find it."""
_DEEPEST = 500


class _Form(NamedTuple):
    """A form of secret: every match of `pattern` holds one of `words` in lower case; group `s` is hidden, else all."""

    kind: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]


def _form(kind: str, words: str, pattern: str) -> _Form:
    return _Form(kind, tuple(words.split()), re.compile(pattern, re.ASCII))


_START = r"(?<![A-Za-z0-9])"
_FORMS = (
    _Form(
        "private key",
        ("private key",),
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?:[^-]|-(?!----))*+-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?:(?:\s|\\[nr]){0,8}+[A-Za-z0-9+/=]{16,}+)*+)"
        ),
    ),
    _form("Anthropic key", "sk-ant-", rf"{_START}sk-ant-[A-Za-z0-9_-]{{12,}}+"),
    _form("API key", "sk-", rf"{_START}sk-(?=[A-Za-z_-]{{0,64}}[0-9])[A-Za-z0-9_-]{{20,}}+"),
    _form(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        rf"{_START}(?:gh[pousr]_[A-Za-z0-9]{{20,}}+|github_pat_[A-Za-z0-9_]{{20,}}+)",
    ),
    _form("GitLab token", "glpat-", rf"{_START}glpat-[A-Za-z0-9_-]{{16,}}+"),
    _form("AWS key", "akia asia", rf"{_START}(?:AKIA|ASIA)[0-9A-Z]{{16}}(?![0-9A-Za-z])"),
    _form("Google key", "aiza", rf"{_START}AIza[0-9A-Za-z_-]{{30,}}+"),
    _form("Slack token", "xox xapp-", rf"{_START}(?:xox[abeoprs]|xapp)-[0-9A-Za-z-]{{10,}}+"),
    _form("Hugging Face token", "hf_", rf"{_START}hf_[A-Za-z0-9]{{30,}}+"),
    _form("npm token", "npm_", rf"{_START}npm_[A-Za-z0-9]{{30,}}+"),
    _form("Stripe key", "_live_ _test_", rf"{_START}(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{{12,}}+"),
    _form("PyPI token", "pypi-", rf"{_START}pypi-[A-Za-z0-9_-]{{40,}}+"),
    _form(
        "web token",
        "eyj",
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]{0,}+){1,3}",
    ),
    _Form(
        "authorization",
        ("authorization", "bearer"),
        re.compile(
            r"(?:authorization\\{0,4}[\"']?\s{0,4}[:=]\s{0,4}\\{0,4}[\"']?(?:(?:bearer|basic|token|apikey)\s{1,4}|(?=[^\s\"'\\]{0,64}[0-9]))"
            r"|\bbearer\s{1,4}(?=[^\s\"'\\]{0,64}[0-9]))"
            r"(?P<s>[A-Za-z0-9+/_.~=:-]{8,}+)",
            re.ASCII | re.IGNORECASE,
        ),
    ),
    _form("password", "://", r"://[^\s/:@\"'\\]{0,64}+:(?P<s>[^\s/@\"'\\" + SIGN + r"]{1,200}+)@"),
)
_STRONG = r"password|passwd|passphrase|passwort|pwd"
_WEAK = (
    r"secret|api[_-]?key|access[_-]?key|private[_-]?key|encryption[_-]?key|account[_-]?key|signing[_-]?key"
    r"|auth[_-]?key|token(?!s)"
)
_NAME_WORDS = ("passw", "passphrase", "pwd", "secret", "key", "token")
_NAME = rf"(?P<strong>{_STRONG})|(?:{_WEAK})"
_ASSIGNED = re.compile(
    rf"(?:{_NAME})(?P<rest>[A-Za-z0-9_-]{{0,24}}+)\\{{0,4}}[\"']?(?P<sep>\s{{0,4}}(?::=|=>|[:=])\s{{0,4}})"
    rf"(?P<quote>\\{{0,4}}[\"'])?(?P<s>[^\s\"'`\\,;&<>(){{}}\[\]{SIGN}]{{4,400}}+)(?!\()",
    re.ASCII | re.IGNORECASE,
)
_NAMED = re.compile(rf"(?:{_NAME})(?P<rest>[A-Za-z0-9_-]{{0,24}}+)\Z", re.ASCII | re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:path|file|dir|url|uri|name|id|type|count|limit|len(?:gth)?|field|header|env|var|expir\w{0,8}|ttl|ref|usage)\Z",
    re.ASCII | re.IGNORECASE,
)
"""Ends of names that say something about a secret and hold none."""
_PLACEHOLDER = re.compile(
    r"(?:[$%<{*]|(?:none|null|nil|true|false|undefined|string|str|required|optional|password|passwd|secret|token|self|this"
    r"|process|os|config|env|settings|args|options|request|response|props|str|bool|int)\b)",
    re.ASCII | re.IGNORECASE,
)
_NUMBER = re.compile(r"[\d.,:%-]+\Z", re.ASCII)
_LONG_ENOUGH, _LONGER = 8, 24


class Hidden(NamedTuple):
    """A text without its secrets, and the kind of each that was hidden."""

    text: str
    kinds: tuple[str, ...] = ()


def hide(text: str) -> Hidden:
    """A text in which what looks like a secret is replaced by its kind."""
    low = text.lower()
    kinds: list[str] = []
    for form in _FORMS:
        if any(word in low for word in form.words):
            text = _without(text, form, kinds)
    if any(word in low for word in _NAME_WORDS):
        text = _without_assigned(text, kinds)
    return Hidden(text, tuple(kinds))


def _without(text: str, form: _Form, kinds: list[str]) -> str:
    parts: list[str] = []
    done = 0
    group = "s" if "s" in form.pattern.groupindex else 0
    for match in form.pattern.finditer(text):
        begin, end = match.span(group)
        parts += [text[done:begin], shown(form.kind, end - begin)]
        done = end
        kinds.append(form.kind)
    return "".join([*parts, text[done:]]) if parts else text


def _without_assigned(text: str, kinds: list[str]) -> str:
    """A text without the values that are given to names like `password`."""
    parts: list[str] = []
    done = place = 0
    while (match := _ASSIGNED.search(text, place)) is not None:
        begin, place = match.span("s")
        value, spaced = match["s"], match["sep"].strip() != match["sep"] or ":" in match["sep"]
        if _is_secret(value, bool(match["strong"]), match["rest"], plain=spaced and not match["quote"]):
            kind = _kind(match)
            parts += [text[done:begin], shown(kind, place - begin)]
            done = place
            kinds.append(kind)
        else:
            place = begin  # another name may stand in what is none
    return "".join([*parts, text[done:]]) if parts else text


def _kind(match: re.Match[str]) -> str:
    name = match[0][: match.start("rest") - match.start()].lower()
    return "password" if match["strong"] else "key" if name.endswith("key") else name


def _is_secret(value: str, strong: bool, rest: str, *, plain: bool) -> bool:
    """Whether a value given to a name is a secret; `plain`: it is not in quotes, and may as well be a word."""
    if _ABOUT.search(rest) or _PLACEHOLDER.match(value) or _NUMBER.match(value) or "://" in value:
        return strong and not _ABOUT.search(rest) and _NUMBER.match(value) is not None
    digit = any(sign.isdigit() for sign in value[:64])
    if strong:
        return digit or not plain
    return len(value) >= _LONG_ENOUGH and (digit or (len(value) >= _LONGER and not plain))


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
    """JSON whose texts are hidden as `hide` does, and those under a key like `password` whole; `kept` keys stay as
    they are at the top. What cannot be decoded is hidden as a text.
    """
    kinds: list[str] = []
    try:
        value = msgspec.json.decode(raw)
        if isinstance(value, dict):
            found: Any = {key: member if key in kept else _walk(member, kinds, key, 0) for key, member in value.items()}
        else:
            found = _walk(value, kinds, "", 0)
        return HiddenJson(msgspec.json.encode(found), tuple(kinds)) if kinds else HiddenJson(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        text, kinds_of_text = hide(bytes(raw).decode("latin-1"))
        return HiddenJson(text.encode("latin-1", "replace"), kinds_of_text) if kinds_of_text else HiddenJson(raw)


def _walk(value: Any, kinds: list[str], key: str, depth: int) -> Any:
    if isinstance(value, str):
        return _member(value, kinds, key)
    if depth > _DEEPEST:
        raise RecursionError
    if isinstance(value, dict):
        return {_member(name, kinds, ""): _walk(member, kinds, name, depth + 1) for name, member in value.items()}
    if isinstance(value, list):
        return [_walk(member, kinds, key, depth + 1) for member in value]
    return value


def _member(value: str, kinds: list[str], key: str) -> str:
    if key and len(value) <= 400 and value and not value.isspace():
        named = _NAMED.search(key[-80:])
        if named is not None and len(value) >= 4 and not any(sign.isspace() for sign in value):
            if _is_secret(value, bool(named["strong"]), named["rest"], plain=False):
                kinds.append(_kind(named))
                return shown(kinds[-1], len(value))
        elif key.lower() in ("authorization", "proxy-authorization"):
            found = hide(f"{key}: {value}")
            kinds += found.kinds
            return found.text[len(key) + 2 :]
    found = hide(value)
    kinds += found.kinds
    return found.text


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
        texts[name] = _walk(getattr(record, name), told, "", 0)
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


def one_step(graph: Graph, position: int) -> tuple[Graph, tuple[str, ...]]:
    """(the graph in which that step has no secrets, their kinds); the same graph where it has none."""
    found = hide_in_step(graph, position)
    if not found.kinds:
        return graph, ()
    raws = list(graph.raws)
    raws[position] = found.raw
    return Graph(graph.ids, graph.parents, raws, graph.columns, dict(graph.positions)), found.kinds


def said(kinds: Counter[str] | tuple[str, ...] | int) -> str:
    """How many were hidden, and that there may be others: "3 recognised secrets hidden; look yourself for others"."""
    count = kinds if isinstance(kinds, int) else sum(Counter(kinds).values())
    if not count:
        return "No secret recognised; look yourself for others"
    return f"{count:,} recognised secret{'' if count == 1 else 's'} hidden; look yourself for others"
