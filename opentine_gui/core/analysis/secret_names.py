"""Values that are given to names like `password` and `api_key`, in texts and in members of JSON: which are secrets.

A value is none if it is a word, a number, the name of another value or what stands in its place. Time is linear.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import NamedTuple

from opentine_gui.core.format.late_pattern import late_pattern

LONGEST = 400
"""Characters of a value in quotes."""

_ENDS = r"(?-i:(?:(?<=[a-z])(?![a-z])|(?<=[A-Z])(?![A-Z])))"
"""A word ends here, as in `token_1` and `tokenValue`, unlike `tokenizer` and `SECRETARY`."""
_NAME = (
    rf"(?:(?P<strong>passw(?:or)?d(?:confirm(?:ation)?)?s?|passphrase|passcode|passwort|(?<!old)pwd){_ENDS}"
    rf"|(?P<weak>secrets?|token|(?:api|access|private|encryption|account|signing|auth|secret)[_ -]?key){_ENDS})"
    r"(?P<rest>[A-Za-z0-9_-]{0,24}+)"
)
_BARE = rf"(?P<bare>(?<![A-Za-z0-9])pass|(?-i:(?<=[a-z])Pass)){_ENDS}(?![A-Za-z0-9_-])"
NAME_WORDS = ("pass", "pwd", "secret", "token", "key")
_QUOTE = r"\\{0,4}[\"'`]"
_CLOSED = r"(?P<closed>\\{0,4}[\"'`]\]?|\*{0,2})"
_SEPARATED = (
    r"(?P<sep>(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z_][\w.<>\[\]|? ]{0,40}="
    r"|[ \t]{1,4}[A-Za-z_*][\w.*]{0,20}[ \t]{1,4}:?="
    rf"|[ \t]{{0,4}}[=!]={{1,2}})[ \t]{{0,4}}(?=[bfru]{{0,2}}{_QUOTE})"
    r"|[ \t]{0,4}(?::=|=>|[:=])\*{0,2}[ \t]{0,4}|>(?=[^\s<>]{4,400}</))"
)
_PLAIN = r"[^\s\"'`\\,;&<>(){}\[\]•]"
_VALUE = rf"(?:[bfru]{{0,2}}(?P<quote>{_QUOTE})|(?P<s>{_PLAIN}{{4,400}}+)(?![(\[]))"
_ASSIGNED = late_pattern(rf"(?:{_NAME}|{_BARE}){_CLOSED}{_SEPARATED}{_VALUE}", re.ASCII | re.IGNORECASE)
"""A value is given to a name: in `s`, or after `quote`."""
_FLAGGED = late_pattern(rf"(?:{_NAME}|{_BARE})(?P<closed>{_QUOTE},)?[ \t]{{1,4}}{_VALUE}", re.ASCII | re.IGNORECASE)
"""A value follows an option of a command, if `_OPTION` is before its name."""
_OPTION = late_pattern(r"(?<![\w-])--?(?:[A-Za-z0-9]{1,20}-){0,3}\Z", re.ASCII)
_OF_KEY = late_pattern(r"(?:api|access|private|encryption|account|signing|auth|secret)[ _-]?\Z")
_LONGEST_OF_KEY = 11
_RUN = late_pattern(rf"{_PLAIN}*+")
_ENDS_COMMAND = late_pattern(r"[ \t]*(?:\Z|[\n\r\"'`|&;)\\]|-)")
_CAPITALS = late_pattern(r"[A-Z_]+\Z")
_AFTER_A_STRING = frozenset("\t\n\r ,;)]}+.:&|?%")
_NAMED = late_pattern(rf"(?:{_NAME}|{_BARE})\Z", re.ASCII | re.IGNORECASE)


class Name(NamedTuple):
    """What a name says of the value it is given: it is a `strong` one like `password`, a weak one like `token`, or
    `bare`, like `pass`, which may as well be a verb. `constant`: in capitals, as in an environment.
    """

    kind: str
    strong: bool
    bare: bool
    about: bool
    paths: bool
    constant: bool


class Given(NamedTuple):
    """How a value is given: `quoted`, as a `member` of JSON, `plain` (it may as well be a word), or to an option."""

    quoted: bool = False
    plain: bool = False
    member: bool = False


_ABOUT = late_pattern(
    r"(?:path|file|dir|url|uri|name|ids?|type|count|limit|len(?:gth)?|field|header|env|var|expir\w{0,8}|ttl|ref|usage|stdin|prompt|store|manager|mgr|helper)\Z",
    re.ASCII | re.IGNORECASE,
)
"""Ends of names that say something about a secret and hold none."""


def name_of(match: re.Match[str]) -> Name:
    """The name that was given a value."""
    word = match["strong"] or match["bare"] or match["weak"]
    rest, before = match["rest"] or "", match.string[match.start() - 1 : match.start()] if match.start() else ""
    low = word.lower()
    strong = bool(match["strong"] or match["bare"])
    return Name(
        "password" if strong else "key" if low.endswith("key") else low.removesuffix("s"),
        strong,
        bool(match["bare"]) and before not in ("_", "-") and not (before.isalpha() and word[0].isupper()),
        _ABOUT.search(rest) is not None,
        low == "pwd",
        word.isupper(),
    )


@lru_cache(maxsize=2_000)
def name_of_key(key: str) -> Name | None:
    """What the key of a member of JSON says of its value; None where it is no name of a secret."""
    match = _NAMED.search(key)
    return name_of(match) if match is not None else None


# -- values ---------------------------------------------------------------------------------------------------------

_PLACEHOLDER = late_pattern(
    r"(?:none|null|nil|true|false|undefined|string|str|required|optional|password|passwd|secret|token|self|this"
    r"|process|os|config|env|settings|args|options|request|response|props|bool|int)\??(?=\Z|[.\[(])"
    r"|\$\{?\w+\}?\Z|\$\{\w+:?(?:\?.*|[-+=])\}\Z|\$\{\{.*\}\}\Z|\$\(.*\)\Z|\{.*\}\Z|<.*>\Z|%\w+%\Z|%(?:\(\w+\))?[sr]\Z"
    r"|\*+\Z|\.+\Z|x+\Z|•+\[[^\]]*\]•*\Z",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
_FILLED_IN = late_pattern(r"\$?\{(?:(?!:-)[^{}]){0,200}\}")
_ELSEWHERE = late_pattern(r"[a-z][a-z0-9+.-]{0,20}://|arn:", re.ASCII | re.IGNORECASE)
_NUMBER, _DIGITS = late_pattern(r"[\d.,:%/-]+\Z", re.ASCII), late_pattern(r"\d+\Z", re.ASCII)
_PATH = late_pattern(r"~|[A-Za-z]:[\\/]|[\w. -]*/[\w./ ~@+-]*\Z")
_MEMBERS = late_pattern(r"[A-Za-z_$][\w$]*(?:(?:\??\.|::)[A-Za-z_$][\w$]*)+\Z", re.ASCII)
_CONSTANT = late_pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z", re.ASCII)
_WORDS_IN_ONE = late_pattern(r"[A-Za-z_]+(?:\d{1,2}[A-Za-z_]*)?\Z", re.ASCII)
_PATTERN = late_pattern(r"\(\?|\][+*]|\\[dsw]")
_NAMES_SECRET = late_pattern(r"pass|pwd|secret|token|key|cred|hash", re.IGNORECASE)
_LONG_ENOUGH, _LONGER, _SPACED = 8, 24, 16


def is_secret(value: str, name: Name, given: Given) -> bool:
    """Whether a value that is given to a name is a secret, and neither a word, nor what stands for another value."""
    if len(value) < 4 or value.isspace() or name.about or _PLACEHOLDER.match(value) or _ELSEWHERE.match(value):
        return False
    if _NUMBER.match(value):
        return name.strong and not name.bare and _DIGITS.match(value) is not None
    if "{" in value and not any(map(str.isalnum, _FILLED_IN.sub("", value))):
        return False
    if name.paths and _PATH.match(value):
        return False
    if not given.quoted and not given.member and _is_reference(value, name, given):
        return False
    digit, spaced = any(map(str.isdigit, value[:64])), len(value.split(None, 1)) > 1
    if name.bare:
        return digit and not spaced and not given.plain
    if name.strong:
        return digit or not given.plain
    if len(value) < _LONG_ENOUGH or _PATTERN.search(value):
        return False
    if (_CONSTANT.match(value) or (value.isidentifier() and not digit)) and _NAMES_SECRET.search(value):
        return False
    return digit or (not given.plain and len(value) >= (_SPACED if spaced else _LONGER))


def _is_reference(value: str, name: Name, given: Given) -> bool:
    """Whether a value outside quotes is the name of another one, as in `token = input1.value` and `token: Token1`."""
    if name.constant and not given.plain:
        return False
    if _MEMBERS.match(value):
        parts = (part for part in value.split(".") if len(part) >= 20 and not _NAMES_SECRET.search(part))
        return not any(sum(map(str.isdigit, part)) > 1 for part in parts)
    if not _WORDS_IN_ONE.match(value):
        return False
    if not name.strong:
        return given.plain or len(value) < 20
    return not any(map(str.isdigit, value)) and (
        _NAMES_SECRET.search(value) is not None and ("_" in value or not (value.islower() or value.isupper()))
    )


class Found(NamedTuple):
    """A value in a text: the name it is given to, how, and where it begins and ends."""

    name: Name
    given: Given
    begin: int
    end: int

    def is_secret(self, text: str) -> bool:
        """Whether it is a secret."""
        return is_secret(text[self.begin : self.end], self.name, self.given)


def places_of_names(low: str) -> list[int]:
    """Where names begin in a text in lower case: its words are searched for, which is faster than one pattern."""
    places = []
    for word in NAME_WORDS:
        place = low.find(word)
        while place >= 0:
            if word == "key":
                of_key = _OF_KEY.search(low, max(0, place - _LONGEST_OF_KEY), place)
                places += [of_key.start()] if of_key is not None else []
            else:
                places.append(place)
            place = low.find(word, place + len(word))
    return sorted(places)


def value_at(text: str, place: int) -> Found | None:
    """The value that is given to the name that begins there: in quotes all of it, else to a space or delimiter."""
    match = _ASSIGNED.match(text, place)
    if match is not None:
        return None if _is_resource(text, place) else _assigned(text, match)
    match = _FLAGGED.match(text, place) if text[place - 1 : place] == "-" else None
    return _flagged(text, match) if match is not None and _OPTION.search(text, max(0, place - 70), place) else None


def _assigned(text: str, match: re.Match[str]) -> Found | None:
    if match["quote"] is None:
        sep = match["sep"]
        return Found(name_of(match), Given(plain=sep.strip() != sep or ":" in sep), *match.span("s"))
    begin = match.end("quote")
    if not match["closed"] and text[begin : begin + 1] in _AFTER_A_STRING:
        return None  # `"password=" + given`: this quote ends another string
    return Found(name_of(match), Given(quoted=True), begin, _end_in_quotes(text, begin, match["quote"]))


def _flagged(text: str, match: re.Match[str]) -> Found:
    if match["quote"] is not None:
        begin = match.end("quote")
        return Found(name_of(match), Given(quoted=True), begin, _end_in_quotes(text, begin, match["quote"]))
    begin, end = match.span("s")
    plain = _ENDS_COMMAND.match(text, end) is None or _CAPITALS.match(text, begin, end) is not None
    return Found(name_of(match), Given(plain=plain), begin, end)


def _end_in_quotes(text: str, begin: int, quote: str) -> int:
    end = _closing(text, begin, quote)
    return end_of_run(text, begin, begin + LONGEST) if end is None else end


def end_of_run(text: str, begin: int, most: int = sys.maxsize) -> int:
    """Where what is in no quotes ends: at a space or a delimiter."""
    run = _RUN.match(text, begin, most)
    return run.end() if run is not None else begin


def _is_resource(text: str, begin: int) -> bool:
    """Whether a name stands in that of a resource of AWS: `arn:aws:secretsmanager:eu-1:1:secret:name`."""
    place = text.rfind("arn:", max(0, begin - 200), begin)
    return place >= 0 and not any(map(str.isspace, text[place:begin]))


def _closing(text: str, begin: int, quote: str) -> int | None:
    """Where a value in quotes ends, at most `LONGEST` characters on; at the end of a text that was cut; or None."""
    sign, escapes = quote[-1], len(quote) - 1
    most = min(begin + LONGEST + len(quote), len(text))
    line = text.find("\n", begin, most)
    most = line if line >= 0 else most
    place = text.find(sign, begin, most)
    while place >= 0:
        before = place
        while before > begin and text[before - 1] == "\\":
            before -= 1
        found = place - before
        if found % 2 == 0 if not escapes else found <= escapes:
            return before if escapes else place
        place = text.find(sign, place + 1, most)
    return most if most == len(text) and line < 0 else None
