"""Values of any kind, given to every part of the published API: kept, or refused with a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.core import (
    Run,
    TineError,
    compare,
    decode,
    encode,
    extract,
    family_of,
    merge,
    overview_of,
    preview_fork,
    preview_merge,
    step_difference,
    step_id,
    text_difference,
    verify,
)


class Unspeakable:
    """What a caller may give: it has no spelling, and cannot be compared."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError("no spelling")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")


def nested(depth: int) -> list[Any]:
    """A list in a list in a list."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


ODD: list[Any] = [
    None, 2, -1, 1e308, float("nan"), True, "x", b"x", [], [1], {}, {2: 1}, {"a": {3: 4}}, {"a": object()}, object(),
    ["a", None], "\ud800", 10**5000, {"a": 10**5000}, {"a": "\ud800"}, [{}], (), 2**70,
    Unspeakable(), {"a": Unspeakable()}, nested(5000), {"a": nested(5000)}, float("inf"), datetime.now(UTC), ...,
]  # fmt: skip


STEP_FIELDS = (
    "kind", "inputs", "outputs", "parent_id", "parent_ids", "duration", "cost", "model_info", "tool_info", "error",
    "ref", "usage", "billing", "provider", "causal_ids", "v3_kind", "timestamp",
)  # fmt: skip


RUN_FIELDS = (
    "id", "model_info", "system_prompt", "user_prompt", "status", "created_at", "refs", "metadata", "manifest",
    "policies", "cache", "transcript", "tags", "steps",
)  # fmt: skip


FORK_FIELDS = (
    "from_step_id", "branch", "nonce", "title", "tags", "reason", "model_info", "system_prompt", "now", "intent",
    "new_run_id",
)  # fmt: skip


MERGE_FIELDS = ("inputs", "outputs", "kind", "title", "tags", "ref", "model_info", "tool_info", "cost", "usage", "now")


EXTRACT_FIELDS = ("records", "steps", "now", "nonce", "new_run_id", "title", "tags")


CHANGED_FIELDS = (*RUN_FIELDS[1:-1], "run_id")


@contextmanager
def refused() -> Iterator[None]:
    """What is refused is refused with a sentence, which can be printed."""
    said = "a sentence"
    try:
        yield
    except TineError as error:
        said = str(error)
    assert len(said) >= 10


def changed(run: Run, name: str, value: Any) -> Run:
    """The run with an attribute that a caller set; what cannot be stored is refused when the run is used."""
    setattr(run, name, value)
    with refused():
        run.add_step("think", {"c": 1})
    with refused():
        run.add_tag("x")
        run.remove_tag("x")
    return run


def kept(run: Run, path: Path) -> None:
    """What is accepted is saved, opens again, and verifies."""
    run.save(path)
    again = Run.load(path)
    assert [step.id for step in again.steps] == [step.id for step in run.steps]
    assert str(again.verify().digest.verdict) == "ok"


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_a_value_of_any_kind_is_kept_or_refused_with_a_sentence(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.tine"

    def attempt(make: Callable[[], Run], accepts: bool = False) -> None:
        made = None
        with refused():
            made = make()
        if made is not None and accepts:  # nothing is accepted that cannot be saved
            kept(made, path)
        elif made is not None:
            with refused():
                kept(made, path)

    def with_step(**given: Any) -> Run:
        run = Run("r")
        run.add_step(**{"kind": "think", "inputs": {}, **given})
        return run

    def source() -> Run:
        run = Run("r")
        run.add_step("think", {"a": 1})
        run.add_step("tool", {"b": 1}, ref="other")
        return run

    for name in STEP_FIELDS:
        attempt(lambda name=name: with_step(**{name: value}), accepts=True)  # type: ignore[misc]
        if name in ("kind", "inputs", "parent_id", "parent_ids", "outputs", "model_info", "tool_info", "error"):
            with refused():
                step_id(**{"kind": "think", "inputs": {}, name: value})
    for name in RUN_FIELDS:
        attempt(lambda name=name: Run(**{name: value}))  # type: ignore[misc]
    first, second = (step.id for step in source().steps)
    for name in FORK_FIELDS:
        attempt(lambda name=name: source().fork(**{"from_step_id": first, name: value}), accepts=True)  # type: ignore[misc]
    for name in MERGE_FIELDS:
        attempt(lambda name=name: source().merge(first, second, **{name: value}), accepts=True)  # type: ignore[misc]
    for name in EXTRACT_FIELDS:
        given = {"records": [source().record], "steps": [first], "now": 1.0, "nonce": "", name: value}
        attempt(lambda given=given: Run.of(extract(**given)), accepts=True)  # type: ignore[misc]
    for name in CHANGED_FIELDS:
        attempt(lambda name=name: changed(source(), name, value))  # type: ignore[misc]
    for read in (
        lambda: source().merge(value, first),
        lambda: source().replay(from_step=value),
        lambda: source().replay(value),
        lambda: source().replay(now=value),
        lambda: source().replay(status=value),
    ):
        attempt(read, accepts=True)
    record = source().record
    for refuse in (
        lambda: merge([record], [(0, value), first], inputs={}, now=1.0, nonce=""),
        lambda: merge([record], [(value, first), first], inputs={}, now=1.0, nonce=""),
        lambda: merge([record], value, inputs={}, now=1.0, nonce=""),
        lambda: preview_merge(value, [first, second]),
        lambda: preview_fork(value, first),
        lambda: preview_fork(record, value),
        lambda: compare(record, value),
        lambda: family_of(value),
        lambda: overview_of(value),
        lambda: step_difference(source().steps[0], value),
        lambda: text_difference("a", value) if not isinstance(value, str) else None,
        lambda: source().diff(value),
        lambda: encode(value),
        lambda: decode(value),
        lambda: verify(value) if not isinstance(value, str) else None,
    ):
        with refused():
            refuse()
    for ask in (source().get_step, source().children, source().ancestors):
        with refused():
            ask(value)
    if not isinstance(value, str | int):
        for touch in (Run.load, source().save):
            with pytest.raises(TineError):
                touch(value)
