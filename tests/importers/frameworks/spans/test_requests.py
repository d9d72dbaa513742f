"""Requests that repeat others: each is read as if it stood alone, and only what is new in it is decoded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.importers.frameworks.spans import dialects
from opentine_gui.importers.frameworks.spans.dialects import Requests, messages_of

MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "system"]), "content": st.sampled_from(["a", "é]", "[{", "}]"])}
    ),
    max_size=3,
)
ENDS = st.sampled_from(["{}", "{}", "{}", " {}", "{} ", "{}]", "[{}]"])
"""How a request is written: mostly as it is."""


@given(st.lists(st.tuples(MESSAGES, st.booleans(), st.sampled_from([None, " ", 1]), ENDS), max_size=12))
def test_requests_are_read_as_if_each_stood_alone(turns: list[tuple[Any, bool, Any, str]]) -> None:
    requests = Requests()
    said: list[Any] = []
    for further, goes_on, spaces, written in turns:
        said = [*said, *further] if goes_on else further
        text = written.replace("{}", json.dumps(said, indent=1 if spaces == 1 else None, ensure_ascii=False))
        found = requests.messages_of(text)
        assert [(one.role, one.content) for one in found] == [(one.role, one.content) for one in messages_of(text)]


def test_what_a_request_repeats_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = 0
    parsed = dialects.parsed

    def counted(value: Any) -> Any:
        nonlocal decoded
        decoded += len(value)
        return parsed(value)

    monkeypatch.setattr(dialects, "parsed", counted)
    requests = Requests()
    said = [{"role": "user", "content": f"message {number}"} for number in range(100)]
    texts = [json.dumps(said[:count]) for count in range(1, 101)]
    assert [len(requests.messages_of(text)) for text in texts] == list(range(1, 101))
    assert decoded < 2 * len(texts[-1])
