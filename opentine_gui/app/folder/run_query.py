"""The filter of the run list: a query (`app.search.query`) applied to what a row knows.

Unreadable files match words only. The package counts a run without a price as 0 here, and so does the list; a word
is looked for in the title, id, model, status and tags and in the count of failures, for rows do not hold steps.
"""

from __future__ import annotations

from opentine_gui.app.folder.run_rows import RunSummary, status_of
from opentine_gui.app.search.query import FIELDS, Condition, Query, compiled_pattern, is_status
from opentine_gui.describe.numbers import counted

LISTED_FIELDS = (
    "failures",
    "error",
    *(name for name, field in FIELDS.items() if field.level != "step" and name != "failures"),
)
"""What the list can be filtered by."""


def matches(query: Query, row: RunSummary, text: str | None = None) -> bool:
    """Whether a row meets every condition; one on what rows do not know is met by none.

    `text` is `search_text(row)` if the caller has it already.
    """
    found = search_text(row) if text is None else text
    if row.unreadable and not all(one.field in ("text", "regex") for one in query.conditions):
        return False
    return all(_is_known(one) and _holds(one, row, found) is not one.negated for one in query.conditions)


def unknown_to_rows(query: Query) -> str:
    """The first field of the query that a row has no value for; "" if there is none."""
    return next((one.field for one in query.conditions if not _is_known(one)), "")


def search_text(row: RunSummary) -> str:
    """The text that plain words are searched for in, in lower case."""
    said = [row.title, row.run_id, row.model, row.status, row.unreadable, *row.tags]
    if not row.unreadable:
        said.append(status_of(row))
    if row.failures:
        said.append(f"{counted(row.failures, 'failure')}, failing")
    return " ".join(said).lower()


def _is_known(condition: Condition) -> bool:
    if condition.field == "error":
        return not condition.text  # what failed steps say is not known of a row, but whether there are any
    return condition.field == "regex" or FIELDS[condition.field].level != "step"


def _holds(one: Condition, row: RunSummary, found: str) -> bool:
    match one.field:
        case "text":
            return one.text in found
        case "regex":
            return _has_pattern(one.text, found)
        case "tag":
            return one.text in row.tags
        case "model" | "harness" | "title":
            return one.text in str(getattr(row, one.field)).lower()
        case "status":
            return is_status(one.text, row.status, status_of(row))
        case "error":
            return bool(row.failures)
        case "failures":
            return one.admits(row.failures)
        case "id":
            return row.run_id.lower().startswith(one.text)
        case "cost":
            return one.admits(row.cost or 0.0)
        case "duration":
            return one.admits(row.duration or None)
        case _:
            return one.admits(row.created_at)


def _has_pattern(pattern: str, text: str) -> bool:
    try:
        return compiled_pattern(pattern).search(text, timeout=0.01) is not None
    except TimeoutError:
        return False
