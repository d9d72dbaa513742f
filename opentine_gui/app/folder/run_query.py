"""The filter of the run list: the grammar of the package's `tine search`, applied to what a row knows.

A query is split into words as a POSIX shell does; all conditions must hold. Unreadable files match plain words only.

* `tag:x` is an exact tag and may be repeated; `model:x` and `harness:x` a part of the name, `status:x` the status.
* `cost:>=n`, `cost:n` (at least n), `cost:<=n`, `cost:a..b`: US dollars, bounds included; `>` and `<` mean the same.
* `after:` and `before:` with a date: `created_at` in UTC, bounds included.
* `provider:x` matches nothing: rows do not hold providers.
* Any other word is looked for in the title, id, model, status and tags; the package searches the steps too.
"""

from __future__ import annotations

import shlex
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property

import msgspec
from msgspec.structs import replace

from opentine_gui.app.folder.run_rows import RunSummary

_NAMES = ("tag", "model", "harness", "provider", "status", "cost", "after", "before")
_DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y/%m/%d")


class Query(msgspec.Struct, frozen=True, dict=True):
    """Conditions that must all hold; None: no such condition."""

    terms: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    model: str | None = None
    harness: str | None = None
    provider: str | None = None
    status: str | None = None
    least_cost: float | None = None
    most_cost: float | None = None
    after: float | None = None
    before: float | None = None

    @cached_property
    def is_text(self) -> bool:
        """True if words are the only conditions."""
        return self == Query(terms=self.terms)


def parse_query(text: str) -> Query:
    """Parse a query; ValueError says what is wrong with it (an open quote, a number, a date)."""
    query = Query()
    try:
        words = shlex.split(text)
    except ValueError as error:
        quote = "quotation" in str(error)
        raise ValueError("a quotation mark is not closed" if quote else "nothing follows the backslash") from None
    for word in words:
        name, _, value = word.partition(":")
        query = _with(query, name.lower(), value, word)
    return query


def _with(query: Query, name: str, value: str, word: str) -> Query:
    """The query with one more condition; an unknown name is searched for as text."""
    lowered = value.strip().lower()
    if not value or name not in _NAMES or (":" in value and name not in ("after", "before")):
        return replace(query, terms=(*query.terms, word.lower()))
    if name == "tag":
        return replace(query, tags=(*query.tags, lowered))
    if name == "cost":
        return _with_cost(query, value)
    if name == "after":
        return replace(query, after=_date(value))
    if name == "before":
        return replace(query, before=_date(value))
    if name == "model":
        return replace(query, model=lowered)
    if name == "harness":
        return replace(query, harness=lowered)
    if name == "provider":
        return replace(query, provider=lowered)
    return replace(query, status=lowered)


def matches(query: Query, row: RunSummary, text: str | None = None) -> bool:
    """Whether a row meets every condition. Unreadable rows match plain words only, so that they can be found.

    `text` is `search_text(row)` if the caller has it already. Rows do not hold providers, so a `provider:` condition
    never matches.
    """
    if query.terms:
        found = search_text(row) if text is None else text
        for term in query.terms:
            if term not in found:
                return False
    if query.is_text:
        return True
    cost = row.cost or 0.0
    return (
        not row.unreadable
        and all(tag in row.tags for tag in query.tags)
        and (query.model is None or query.model in row.model.lower())
        and (query.harness is None or query.harness in row.harness.lower())
        and query.provider is None
        and (query.status is None or query.status == row.status.lower())
        and (query.least_cost is None or not cost < query.least_cost)
        and (query.most_cost is None or not cost > query.most_cost)
        and (query.after is None or row.created_at >= query.after)
        and (query.before is None or row.created_at <= query.before)
    )


def search_text(row: RunSummary) -> str:
    """The text that plain words are searched for in, in lower case."""
    return " ".join((row.title, row.run_id, row.model, row.status, row.unreadable, *row.tags)).lower()


def _with_cost(query: Query, value: str) -> Query:
    if ".." in value:
        low, _, high = value.partition("..")
        if low:
            query = replace(query, least_cost=_number(low))
        return replace(query, most_cost=_number(high)) if high else query
    if value.startswith("<"):
        return replace(query, most_cost=_number(value.lstrip("<=")))
    return replace(query, least_cost=_number(value.lstrip(">=")))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an amount of money") from None


def _date(text: str) -> float:
    for form in _DATES:
        with suppress(ValueError):
            return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()
    raise ValueError(f"{text!r} is not a date like 2026-01-31")
