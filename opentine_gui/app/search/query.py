"""The query language, of the list of runs and of the search in what was recorded: a superset of `tine search`.

A query is words, all of which must hold. A word is a text to look for, a `/regular expression/`, or a field with a
value; `-` before it negates it. Quotes keep spaces together at the start of a word or of a value, and in double
quotes a backslash keeps a quote. Case never matters. `FIELDS` says what each field means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

import msgspec

from opentine_gui.core.graph.raw_search import fold
from opentine_gui.core.model import SHOWN_KINDS

Level = Literal["run", "step", "both"]
Takes = Literal["text", "number", "date", "kind"]


class Field(NamedTuple):
    """A row of the table of fields: what it is about, what its value is, and a line for the completion.

    `level`: what has it. In the list of runs only what runs have can be asked for.
    """

    name: str
    level: Level
    takes: Takes
    words: str
    alone: bool = False
    """Whether it means something without a value."""


FIELDS = {
    field.name: field
    for field in (
        Field("text", "both", "text", "a text, word for word"),
        Field("kind", "step", "kind", "tool, model, error…"),
        Field("tool", "step", "text", "the tool's name"),
        Field("error", "step", "text", "failed steps, or what they say", alone=True),
        Field("model", "both", "text", "a part of the model's name"),
        Field("cost", "both", "number", "dollars: >0.01, 0.1..0.5"),
        Field("tokens", "step", "number", "tokens: >1000, 5k"),
        Field("duration", "both", "number", "seconds: >5, 2m"),
        Field("id", "both", "text", "how the id begins"),
        Field("title", "both", "text", "a part of the title"),
        Field("provider", "step", "text", "a part of the provider's name"),
        Field("note", "step", "text", "your notes on steps", alone=True),
        Field("tag", "run", "text", "a tag of the run"),
        Field("status", "run", "text", "the run's status, as shown"),
        Field("failures", "run", "number", "failed steps of the run: >0"),
        Field("harness", "run", "text", "what recorded the run"),
        Field("after", "run", "date", "runs from a day on: 2026-01-31"),
        Field("before", "run", "date", "runs before a day"),
    )
}
RUN_FIELDS = tuple(field.name for field in FIELDS.values() if field.level == "run")
"""Those that a run has and none of its steps."""
_ONE_COLON = frozenset(("tag", "model", "harness", "provider", "status", "cost"))
"""As in `tine search`, a value with a colon makes the whole word a text for these."""
_DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y/%m/%d")
_UNITS = {"k": 1e3, "m": 1e6}
_TIMES = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_COUNTS = ("failures",)
"""Fields whose numbers count something: `>0` does not hold for none, and `0` holds for none alone."""
_LIKE_A_FIELD = re.compile(r"([a-z][a-z_-]+):(?!//|\\).*", re.IGNORECASE | re.DOTALL)
"""A word that is written as a field: no address of a page, and no path of Windows."""
_LONGEST_PATTERN = 400
_OF_PATTERNS = re.compile(r"[\\*+?\[\](){}|^$]")


class Condition(msgspec.Struct, frozen=True):
    """One word of a query. `field` is "text", "regex" or another of `FIELDS`; `text` is folded, but not a pattern.

    `least` and `most` bound numbers and dates (Unix seconds), both included; None: no such bound.
    """

    field: str
    text: str = ""
    least: float | None = None
    most: float | None = None
    negated: bool = False

    def admits(self, value: float | None) -> bool:
        """Whether a number is within the bounds. What was not recorded never is."""
        if value is None:
            return False
        above = self.least is None or not value < self.least
        return above and (self.most is None or not value > self.most)


class Query(msgspec.Struct, frozen=True):
    """Conditions that must all hold."""

    conditions: tuple[Condition, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.conditions)

    @property
    def is_text(self) -> bool:
        """True if words to be found are the only conditions."""
        return all(one.field == "text" and not one.negated for one in self.conditions)

    def of(self, *fields: str) -> tuple[Condition, ...]:
        """The conditions on these fields."""
        return tuple([one for one in self.conditions if one.field in fields])


def not_a_field(text: str, fields: Iterable[str] = FIELDS) -> str:
    """A sentence about the first word that is written as a field and is none, with those there are; "" without one.

    Such a word is a text to look for, as "failed:yes" may well stand in a log, so it is said where nothing is found.
    """
    try:
        words = [word for word in words_of(text) if not word.name and not word.quoted]
    except ValueError:
        return ""
    found = next((match for word in words if (match := _LIKE_A_FIELD.fullmatch(word.value))), None)
    if found is None:
        return ""
    return f"“{found[1]}:” is no field: there are {', '.join(name for name in fields if name != 'text')}."


class Word(NamedTuple):
    """A word of a query as it is typed: where it begins, whether it is negated, its field and its value."""

    start: int
    negated: bool
    name: str
    value: str
    quoted: bool

    @property
    def whole(self) -> str:
        """The word without quotes."""
        return f"{self.name}:{self.value}" if self.name else self.value


def is_status(asked: str, recorded: str, shown: str) -> bool:
    """Whether a status in small letters is the one recorded, the words shown for it, or the first of several."""
    words = shown.lower()
    return asked in (recorded.lower(), words) or words.startswith(f"{asked} ")


def parse_query(text: str) -> Query:
    """Parse a query; ValueError says what is wrong with it (an open quote, a number, a date, a pattern)."""
    return Query(tuple([_condition(word) for word in words_of(text)]))


def query_so_far(text: str) -> Query:
    """The query that is being typed: a quotation mark that is open closes at the end. ValueError as `parse_query`."""
    try:
        return parse_query(text)
    except OpenQuote as error:
        begun = text[: error.at] if error.at == len(text) - 1 else text + text[error.at]
        return parse_query(begun)


def one_pattern(text: str) -> Query:
    """The query whose only condition is that a regular expression matches; ValueError says why it cannot be one."""
    compiled_pattern(text)
    return Query((Condition("regex", text),))


def filters_and_pattern(text: str) -> Query:
    """The query of filters, as `kind:tool`, and one regular expression after them. ValueError as `one_pattern`.

    A value with signs of a regular expression, outside quotes, begins the expression: "error:.*timeout" is one.
    """
    conditions: list[Condition] = []
    begin, words = len(text), _words_before_open_quote(text)
    for word in words:
        field = FIELDS.get(word.name.lower())
        filtering = field is not None and field.name != "text"
        if not filtering or (not word.quoted and _OF_PATTERNS.search(word.value)):
            begin = word.start
            break
        condition = _condition(word)
        if condition.field == "text":  # a field without the value it needs
            begin = word.start
            break
        conditions.append(condition)
    rest = text[begin:].strip()
    return Query((*conditions, *(one_pattern(rest).conditions if rest else ())))


def _words_before_open_quote(text: str) -> Iterator[Word]:
    """The words of a query; one with an open quotation mark, which may be a part of a pattern, ends them as a text."""
    try:
        yield from words_of(text)
    except OpenQuote as error:
        start = max(text.rfind(" ", 0, error.at) + 1, 0)
        yield Word(start, False, "", text[start:], False)


def words_of(text: str) -> Iterator[Word]:
    """Split a query into words; ValueError if a quotation mark is not closed."""
    at, end = 0, len(text)
    while True:
        while at < end and text[at].isspace():
            at += 1
        if at >= end:
            return
        start, negated = at, False
        if text[at] == "-" and at + 1 < end and not text[at + 1].isspace() and text[at + 1] != "-":
            negated, at = True, at + 1
        if text[at] in "\"'":
            said, at = _quoted(text, at)
            rest, at = _bare(text, at)
            name, colon, value = (said + rest).partition(":")
            known = colon and name.lower() in FIELDS
            yield Word(start, negated, name if known else "", value if known else said + rest, True)
            continue
        bare, after = _bare(text, at)
        name, colon, value = bare.partition(":")
        if colon and name.lower() in FIELDS:
            at += len(name) + 1
            quoted = at < end and text[at] in "\"'"
            if quoted:
                said, at = _quoted(text, at)
                rest, at = _bare(text, at)
                value = said + rest
            else:
                at = after
            yield Word(start, negated, name, value, quoted)
        else:
            at = after
            yield Word(start, negated, "", bare, False)


class OpenQuote(ValueError):
    """A quotation mark that is not closed; `at` is its place."""

    def __init__(self, at: int) -> None:
        super().__init__("a quotation mark is not closed")
        self.at = at


def _bare(text: str, at: int) -> tuple[str, int]:
    start = at
    while at < len(text) and not text[at].isspace():
        at += 1
    return text[start:at], at


def _quoted(text: str, at: int) -> tuple[str, int]:
    """What stands in quotes from `at` on, and where it ends."""
    mark, said, start, at = text[at], [], at, at + 1
    while at < len(text) and text[at] != mark:
        if text[at] == "\\" and mark == '"' and text[at + 1 : at + 2] in ('"', "\\"):
            at += 1
        said.append(text[at])
        at += 1
    if at >= len(text):
        raise OpenQuote(start)
    return "".join(said), at + 1


def _condition(word: Word) -> Condition:
    name, value = word.name.lower(), word.value
    field = FIELDS.get(name)
    plain = Condition("text", fold(word.whole), negated=word.negated)
    if field is None:
        return plain if word.quoted else _pattern_or(plain, value, word.negated)
    if (not value.strip() and not field.alone) or (":" in value and name in _ONE_COLON):
        return plain
    if name == "text":
        found = Condition("text", fold(value), negated=word.negated)
        return found if word.quoted else _pattern_or(found, value, word.negated)
    if field.takes == "number":
        least, most = _bounds(name, value)
        return Condition(name, "", least, most, word.negated)
    if field.takes == "date":
        when = _date(value)
        return Condition(name, "", when if name == "after" else None, when if name == "before" else None, word.negated)
    lowered = fold(value.strip())
    if field.takes == "kind" and not any(kind.startswith(lowered) for kind in SHOWN_KINDS):
        raise ValueError(f"{value!r} is no kind of step; there are {', '.join(SHOWN_KINDS)}")
    return Condition(name, lowered, negated=word.negated)


def _pattern_or(plain: Condition, value: str, negated: bool) -> Condition:
    """The condition of a word between slashes, which is a regular expression; else `plain`."""
    inside = len(value) > 2 and value[0] == value[-1] == "/"
    if not inside or "/" in value[1:-1].replace("\\/", ""):  # a path has slashes in between
        return plain
    compiled_pattern(value[1:-1])
    return Condition("regex", value[1:-1], negated=negated)


def compiled_pattern(text: str) -> Any:
    """A regular expression, ignoring case, `^` and `$` at each line; ValueError says why it cannot be one."""
    if len(text) > _LONGEST_PATTERN:
        raise ValueError(f"a regular expression may have {_LONGEST_PATTERN} characters")
    import regex  # takes 20 ms to load, which no window has to wait for

    try:
        return regex.compile(text, regex.IGNORECASE | regex.MULTILINE)
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        raise ValueError(f"the regular expression cannot be read: {error}") from None


def _bounds(name: str, value: str) -> tuple[float | None, float | None]:
    """(least, most) of `>1`, `>=1`, `<2`, `1..2` and `1`, which means at least 1, or exactly 1 of a count."""
    if ".." in value:
        low, _, high = value.partition("..")
        return (_number(name, low) if low else None), (_number(name, high) if high else None)
    if name in _COUNTS:
        sign = value[: len(value) - len(value.lstrip("<>="))]
        number = _number(name, value[len(sign) :])
        bounds = {">": (number + 1, None), ">=": (number, None), "<": (None, number - 1), "<=": (None, number)}
        return bounds.get(sign, (number, number))
    if value.startswith("<"):  # the bound is included, as in `tine search`
        return None, _number(name, value.lstrip("<="))
    return _number(name, value.lstrip(">=")), None


def _number(name: str, text: str) -> float:
    """A number with the unit its field knows."""
    said = text.strip().lower()
    units = _TIMES if name == "duration" else _UNITS if name == "tokens" else {}
    said = said.removeprefix("$") if name == "cost" else said
    unit = next((unit for unit in units if said.endswith(unit)), "")  # "ms" comes before "s"
    what = {"cost": "an amount of money", "duration": "a length of time"}.get(name, "a number")
    if not said:
        raise ValueError(f"{what} is missing after {name}:")
    try:
        return float(said.removesuffix(unit)) * units.get(unit, 1.0)
    except ValueError:
        raise ValueError(f"{text!r} is not {what}") from None


def _date(text: str) -> float:
    for form in _DATES:
        with suppress(ValueError, OverflowError):
            return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()
    raise ValueError(f"{text!r} is not a date like 2026-01-31")
