"""Sentences are looked for in the front of a text first; what is found there is what the whole text says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.describe import payload_text
from opentine_gui.describe.payload_text import first_sentence, first_text, in_quotes, rest_of, sentences, unruled
from opentine_gui.scene.text.clean import clean

PIECES = st.sampled_from(
    [
        *("Now 3. ", "Done. ", "Remove it! ", "word ", "x" * 90, "。", " ", "\n"),
        *("**", "`", "- ", "# ", "12) ", "\x1b]0;", "\x07"),
    ]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join)


@given(TEXTS, st.integers(20, 160))
def test_the_front_of_a_text_gives_the_sentences_of_the_whole(text: str, limit: int) -> None:
    first, rest = first_sentence(text), rest_of(text, limit)
    assert rest == clean(rest_of(text), limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(payload_text, "FRONT", len(text))
        assert first == first_sentence(text)
    found = sentences(text)
    assert not found or found[0].startswith(first)


@given(st.dictionaries(st.sampled_from([*payload_text.TEXT_KEYS, "number", "messages"]), st.sampled_from(["", "a", 1])))
def test_a_small_payload_gives_its_texts_in_the_order_of_the_keys(payload: dict[str, object]) -> None:
    assert first_text(payload) == first_text(payload, list(payload_text.TEXT_KEYS))


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (
            "Chunk ID: dffec0\nWall time: 0.0523 seconds\nProcess exited with code 0\nOriginal token count: 3\n",
            "greet.py",
        ),
        ("Exit code: 1\nWall time: 2 seconds\n", "greet.py"),
        ("Exit code: 0\nWall time: 0 seconds\n", ""),
    ],
)
def test_what_codex_puts_before_an_output_is_not_its_first_sentence(head: str, said: str) -> None:
    assert first_sentence(f"{head}Output:\n{said}\n") == said


def test_the_tag_before_a_models_thought_is_not_said_and_one_that_is_all_there_is_stays() -> None:
    assert first_sentence("<think>Let me read the task.\n\n1. Build</think>\n\nI begin") == "Let me read the task"
    assert first_sentence("<think></think>") == "<think></think>"
    assert first_sentence("<thinkpad> is a name") == "<thinkpad> is a name"


def test_a_text_that_only_begins_like_codex_is_told_as_it_is() -> None:
    assert first_sentence("Exit code: 1\nand nothing else") == "Exit code: 1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("=" * 30 + " test session starts " + "=" * 30 + "\nplatform linux", "test session starts"),
        ("\x1b[1m==== FAILURES ====\x1b[0m\nx", "FAILURES"),
        ("--------\nName Age\n--------", "Name Age"),
        ("-5 degrees", "-5 degrees"),
        ("--- a/file\n+++ b/file", "--- a/file"),
        ("========", "========"),
        ("__init__.py", "__init__.py"),
    ],
)
def test_a_rule_around_a_heading_is_not_its_text(text: str, said: str) -> None:
    assert first_sentence(unruled(text)) == said


def test_a_title_that_begins_with_a_quotation_is_not_quoted_once_more() -> None:
    assert in_quotes("Fix it") == "“Fix it”"
    assert in_quotes("“Review”: sub-agent starts") == "“Review”: sub-agent starts"
