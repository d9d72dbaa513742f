"""The query language: words, quotes, fields, patterns; it never raises anything but a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.search.query import FIELDS, Condition, filters_and_pattern, parse_query, query_so_far, words_of

PIECES = st.sampled_from([*"ab \t:-/\\'\"><.=0159kms$…é", *(f"{name}:" for name in FIELDS)])
TYPED = st.lists(PIECES, max_size=24).map("".join)


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("one Two", [Condition("text", "one"), Condition("text", "two")]),
        ('"one two"', [Condition("text", "one two")]),
        ('text:"one: two"', [Condition("text", "one: two")]),
        (r'"say \"no\" \\ C:\new"', [Condition("text", r'say "no" \ c:\new')]),
        ("don't C:\\Users\\me", [Condition("text", "don't"), Condition("text", "c:\\users\\me")]),
        ("-not -kind:tool", [Condition("text", "not", negated=True), Condition("kind", "tool", negated=True)]),
        ("--force - '-rf'", [Condition("text", "--force"), Condition("text", "-"), Condition("text", "-rf")]),
        ("/Key[a-z]+/", [Condition("regex", "Key[a-z]+")]),
        ("-/a/ text:/b/", [Condition("regex", "a", negated=True), Condition("regex", "b")]),
        ("/srv/app/ /srv/app // '/a/'", [Condition("text", word) for word in ("/srv/app/", "/srv/app", "//", "/a/")]),
        (r"/a\/b/", [Condition("regex", r"a\/b")]),
        ("error:", [Condition("error")]),
        ("error:KeyError", [Condition("error", "keyerror")]),
        ("cost:>0.01 cost:<$2", [Condition("cost", least=0.01), Condition("cost", most=2.0)]),
        ("tokens:1.5k..2M", [Condition("tokens", least=1500.0, most=2e6)]),
        ("duration:>2m duration:<250ms", [Condition("duration", least=120.0), Condition("duration", most=0.25)]),
        ("failures:0 failures:<=2", [Condition("failures", least=0, most=0), Condition("failures", most=2)]),
        ("failures:>0 failures:<2", [Condition("failures", least=1), Condition("failures", most=1)]),
        ("failures:>=2 failures:2..3", [Condition("failures", least=2), Condition("failures", least=2, most=3)]),
        ("id:event:sha256:ab", [Condition("id", "event:sha256:ab")]),
        ("kind: tool:", [Condition("text", "kind:"), Condition("text", "tool:")]),
        ("KIND:Tool", [Condition("kind", "tool")]),
    ],
)
def test_a_query_is_read_as_written(text: str, conditions: list[Condition]) -> None:
    assert list(parse_query(text).conditions) == conditions


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ('tide "still op', 'tide "still op"'),
        ("text:'still op", "text:'still op'"),
        ('tide "', "tide"),
        ('"', ""),
        ('a "closed"', 'a "closed"'),
        ('"ends in \\\\', '"ends in \\\\"'),
    ],
)
def test_a_quotation_mark_closes_at_the_end_of_what_is_typed(text: str, whole: str) -> None:
    assert query_so_far(text) == parse_query(whole)


@given(TYPED)
def test_what_is_being_typed_has_no_open_quotation_mark(text: str) -> None:
    said = ""
    try:
        query_so_far(text)
    except ValueError as wrong:
        said = str(wrong)
    assert "quotation" not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"open', "quotation mark"),
        ("text:'open", "quotation mark"),
        ("cost:much", "amount of money"),
        ("cost:>", "missing"),
        ("duration:1year", "length of time"),
        ("tokens:many", "a number"),
        ("kind:toll", "no kind of step"),
        ("after:yesterday", "not a date"),
        ("/(/", "regular expression"),
        (f"/{'a' * 500}/", "400 characters"),
    ],
)
def test_what_is_wrong_is_reported(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_query(text)


@given(TYPED)
def test_whatever_is_typed_is_a_query_or_a_sentence(text: str) -> None:
    said = ""
    conditions = 0
    try:
        conditions = len(parse_query(text).conditions)
    except ValueError as wrong:
        said = str(wrong)
    assert said or conditions == len(list(words_of(text)))


@given(st.lists(st.text(st.characters(exclude_characters="\\\"'"), min_size=1).filter(str.strip), max_size=4))
def test_quoted_texts_come_back_whole(texts: list[str]) -> None:
    found = parse_query(" ".join(f'text:"{text}"' for text in texts))
    assert [(one.field, len(one.text)) for one in found.conditions] == [("text", len(text)) for text in texts]


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("kind:tool", [Condition("kind", "tool")]),
        ("kind:tool  ^a b$", [Condition("kind", "tool"), Condition("regex", "^a b$")]),
        (
            "-kind:tool cost:>0.5 x.*y",
            [Condition("kind", "tool", negated=True), Condition("cost", "", 0.5), Condition("regex", "x.*y")],
        ),
        ("error: not found", [Condition("error"), Condition("regex", "not found")]),
        ('tool:"Web Search" a|b', [Condition("tool", "web search"), Condition("regex", "a|b")]),
        ("model:gpt-4.1 x", [Condition("model", "gpt-4.1"), Condition("regex", "x")]),
        ("error:.*timeout", [Condition("regex", "error:.*timeout")]),
        ("x kind:tool", [Condition("regex", "x kind:tool")]),
        ("kind: x", [Condition("regex", "kind: x")]),
        ("text:abc", [Condition("regex", "text:abc")]),
        ('kind:tool a "b', [Condition("kind", "tool"), Condition("regex", 'a "b')]),
        ('"a b', [Condition("regex", '"a b')]),
        ("it's", [Condition("regex", "it's")]),
        ("  ", []),
    ],
)
def test_filters_stand_before_a_regular_expression(text: str, conditions: list[Condition]) -> None:
    assert list(filters_and_pattern(text).conditions) == conditions


@given(TYPED)
def test_whatever_is_typed_is_filters_and_a_pattern_or_a_sentence(text: str) -> None:
    said, conditions = "", ()
    try:
        conditions = filters_and_pattern(text).conditions
    except ValueError as wrong:
        said = str(wrong)
    assert said or bool(conditions) == bool(text.strip())
    assert [one.field for one in conditions].count("regex") <= 1


def test_a_day_is_among_those_after_it_and_not_among_those_before_it() -> None:
    (after,), (before,) = (parse_query(f"{field}:2026-01-31").conditions for field in ("after", "before"))
    assert after.least == before.most  # midnight, as in the package
    assert not before.admits(after.least + 1) and after.admits(after.least + 1)
    assert FIELDS["before"].words == "runs before a day"
