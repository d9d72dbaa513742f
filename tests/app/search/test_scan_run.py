"""The search through a run finds what a naive search through the decoded values finds: no more, and never less."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from opentine_gui.app.search.query import Condition, Query, parse_query
from opentine_gui.app.search.scan_run import scan_run, snippet_at
from opentine_gui.app.search.step_search import PatternTooSlow, StepSearch, Texts
from opentine_gui.app.search.values import content_of, texts_in, texts_of, texts_with_paths
from opentine_gui.app.state.annotations import Annotation
from opentine_gui.core import Graph, RunRecord, Step, StepKind
from opentine_gui.core.format.canonical import step_id
from opentine_gui.core.graph.raw_search import Needle, candidates, fold

LETTERS = 'aAbBkKsSςσΣßẞİıéÉ\u212aÅÅµμ错🙏\u0000\n\t"\\/\u007f :-{}[],1.Ee'
TEXTS = st.text(st.sampled_from(LETTERS), max_size=6) | st.text(max_size=8)
VALUES = st.recursive(
    TEXTS | st.integers(-(2**60), 2**60) | st.booleans() | st.none(),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(TEXTS, inside, max_size=3),
    max_leaves=6,
)


def encoded(value: Any, style: int) -> bytes:
    """JSON text in one of the ways it may be spelled: escaped, as UTF-8, every character as an escape in capitals."""
    if style == 0:
        return json.dumps(value, separators=(",", ":")).encode()
    if style == 1:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    def spelled(text: str) -> str:
        units = text.encode("utf-16-be")
        return '"' + "".join(f"\\u{units[at]:02X}{units[at + 1]:02X}" for at in range(0, len(units), 2)) + '"'

    def walk(item: Any) -> str:
        if isinstance(item, str):
            return spelled(item)
        if isinstance(item, dict):
            return "{" + ",".join(f"{spelled(name)}:{walk(member)}" for name, member in item.items()) + "}"
        return "[" + ",".join(map(walk, item)) + "]" if isinstance(item, list) else json.dumps(item)

    return walk(value).encode()


def naive_texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return list(value) + [text for member in value.values() for text in naive_texts(member)]
    if isinstance(value, list):
        return [text for member in value for text in naive_texts(member)]
    return [str(value)] if isinstance(value, int) and not isinstance(value, bool) else []


def naive_fold(text: str) -> str:
    """Letter by letter: the lower case if it is one letter, and both forms of the small sigma as one."""
    small = (letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    return "".join(small).replace("ς", "σ")


@given(st.text() | TEXTS)
def test_folding_keeps_the_length_and_is_done_letter_by_letter(text: str) -> None:
    assert fold(text) == naive_fold(text)
    assert len(fold(text)) == len(text)


@settings(max_examples=400)
@given(st.lists(st.tuples(VALUES, st.integers(0, 2)), min_size=1, max_size=5), TEXTS.filter(bool))
@example([("\u212a", 0), ("\u212a", 1), ("K", 2)], "k")
@example([("A", 2), ("a\nb", 0)], "a\nb")
@example([({"src/a.py": 1, "name": 2}, 0)], "a.py")
def test_what_is_found_is_what_a_naive_search_finds(values: list[tuple[Any, int]], wanted: str) -> None:
    raws = [b'{"inputs":' + encoded(value, style) + b"}" for value, style in values]
    folded = naive_fold(wanted)
    expected = [sum(naive_fold(text).count(folded) for text in naive_texts(value)) for value, _ in values]
    search = StepSearch(Query((Condition("text", fold(wanted)),)))
    may = {position for part in candidates(raws, search.needles) for position in part}
    assert may >= {position for position, count in enumerate(expected) if count}
    assert [search.count("", None, raw) for raw in raws] == expected
    for raw, count in zip(raws, expected, strict=True):
        found = search.snippet(content_of(raw)) if count else None
        if found is not None:
            assert fold(found.text[found.start : found.end]) == folded


@given(VALUES)
def test_texts_are_the_same_with_and_without_paths(value: Any) -> None:
    raw = encoded({"outputs": value, "own_field": value}, 0)
    assert sorted(texts_of(raw)) == sorted(found.text for found in texts_with_paths(content_of(raw)))
    assert sorted(texts_in(value)) == sorted(naive_texts(value))


@given(st.lists(TEXTS, max_size=4), TEXTS.filter(bool))
def test_no_match_reaches_from_one_text_into_the_next(texts: list[str], wanted: str) -> None:
    folded = fold(wanted)
    assert Texts(texts).count(folded) == sum(naive_fold(text).count(folded) for text in texts)


def a_step(number: int, kind: StepKind = StepKind.TOOL, **fields: Any) -> Step:
    inputs = {"number": number, **fields.pop("inputs", {})}
    made = Step(id="", parent_ids=(), kind=kind, inputs=inputs, **fields)
    return msgspec.structs.replace(made, id=step_id(kind, inputs, parent_ids=(), **_content(fields)))


def _content(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: fields[name] for name in ("outputs", "tool_info", "error", "model_info") if name in fields}


STEPS = (
    a_step(0, StepKind.THINK, inputs={"text": "Why does the reader fail?"}, cost=None),
    a_step(1, tool_info={"name": "bash"}, outputs={"stdout": "KeyError: 'parent'\nKeyError"}, duration=6.0),
    a_step(2, tool_info={"name": "edit"}, error={"type": "ToolError", "message": "no such file"}),
    a_step(
        3,
        StepKind.MODEL,
        outputs={"text": "The KeyError “parent” is fixed"},
        model_info="claude-sonnet-4",
        cost=0.02,
        usage={"input": 900, "output": 100},
        provider="anthropic",
    ),
    a_step(4, StepKind.ERROR, inputs={"text": "gave up: KeyError"}),
)
RECORD = RunRecord(
    run_id="run-7",
    graph=Graph.of(STEPS),
    metadata={"title": "The broken reader", "tags": ["Slow"], "integrity": {"digest": "sha256:reader"}},
    transcript_text=json.dumps(
        [
            {"role": "user", "content": "Mend the reader"},
            {"role": "assistant", "content": "KeyError is fixed", "step_id": STEPS[3].id},
            {"role": "tool", "content": "only the transcript has this", "step_id": STEPS[1].id},
        ]
    ).encode(),
)


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("keyerror", [1, 3, 4]),
        ("KeyError parent", [1, 3]),
        ('"KeyError “parent”"', [3]),
        ("keyerror -parent", [4]),
        ("kind:tool", [1, 2]),
        ("kind:t", [0, 1, 2]),
        ("-kind:tool keyerror", [3, 4]),
        ("error:", [2, 4]),
        ("-error:", [0, 1, 3]),
        ("error:keyerror", [4]),
        ("error:file", [2]),
        ("-error:file error:", [4]),
        ("tool:BASH", [1]),
        ("-tool:bash kind:tool", [2]),
        ("cost:>0.01", [3]),
        ("cost:<1", [3]),
        ("tokens:1k", [3]),
        ("tokens:<5", []),
        ("duration:>5", [1]),
        ("duration:<5", []),
        ("model:sonnet", [3]),
        ("provider:anthropic", [3]),
        ("id:" + STEPS[2].id[:9], [2]),
        (STEPS[2].id[:9], [2]),
        ("title:why", [0]),
        ("/key\\w+:.'p/", [1]),
        ("-/key/ kind:tool", [2]),
        ("reader", [-1, 0, -1]),
        ("sha256:reader", []),
        ("transcript", [1]),
        ("stdout", [1]),
        ("message -bash", [2]),
        ("inputs", []),
        ("metadata", []),
        ("role", []),
        ("model:name", []),
        ("tag:slow keyerror", [1, 3, 4]),
        ("tag:fast keyerror", []),
        ("-tag:fast kind:model", [3]),
    ],
)
def test_each_field_means_what_it_says(text: str, positions: list[int]) -> None:
    search = StepSearch(parse_query(text))
    found = [one for part in scan_run(RECORD, search) for one in part]
    assert [one.position for one in found] == positions
    assert all(one.times > 0 for one in found)
    assert all(snippet_at(RECORD, search, one) is not None for one in found)


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("rewound", [2]),
        ("note:rewound", [2]),
        ("note:", [0, 2]),
        ("-note: kind:tool", [1]),
        ("note:rewound kind:tool", [2]),
        ("note:rewound kind:model", []),
    ],
)
def test_what_the_user_wrote_beside_a_step_is_found(text: str, positions: list[int]) -> None:
    ids = RECORD.graph.ids
    notes = {
        ids[0]: Annotation("Where it begins"),
        ids[1]: Annotation(bookmarked=True),
        ids[2]: Annotation("Rewound here"),
        "sha256:gone": Annotation("rewound"),
    }
    search = StepSearch(parse_query(text))
    found = [one for part in scan_run(RECORD, search, notes) for one in part]
    assert [one.position for one in found] == positions
    assert not any(scan_run(RECORD, StepSearch(parse_query("rewound"))))


def test_a_snippet_without_a_match_is_a_text_that_says_something() -> None:
    search = StepSearch(parse_query("error:"))
    for error, said in (({"exit_code": "1", "message": "no rule"}, "no rule"), ({"exit_code": "1"}, "1")):
        snippet = search.snippet({"error": error})
        assert snippet is not None
        assert snippet.text == said


def test_a_snippet_says_where_it_is_from_and_what_matched() -> None:
    search = StepSearch(parse_query("keyerror"))
    [found] = [one for part in scan_run(RECORD, search) for one in part if one.position == 1]
    snippet = snippet_at(RECORD, search, found)
    assert found.times == 2
    assert snippet is not None
    assert (snippet.where, snippet.text[snippet.start : snippet.end]) == ("outputs.stdout", "KeyError")


def test_the_name_of_a_member_is_found_and_shown_with_its_value() -> None:
    raw = encoded({"outputs": {"Exit_Code": 137, "lines": {"src/a.py": 3}}}, 0)
    for wanted, where, text in (("exit_c", "outputs.Exit_Code", "Exit_Code: 137"), ("lines", "outputs.lines", "lines")):
        search = StepSearch(parse_query(wanted))
        assert search.count("", None, raw) == 1
        snippet = search.snippet(content_of(raw))
        assert snippet is not None
        assert (snippet.where, snippet.text) == (where, text)
        assert fold(snippet.text[snippet.start : snippet.end]) == wanted


def test_a_long_text_is_cut_around_its_match() -> None:
    raw = encoded({"outputs": {"text": "x" * 5000 + "needle" + "y" * 5000}}, 0)
    snippet = StepSearch(parse_query("NEEDLE")).snippet(content_of(raw))
    assert snippet is not None
    assert snippet.text[snippet.start : snippet.end] == "needle"
    assert snippet.text[0] == snippet.text[-1] == "…"
    assert len(snippet.text) < 400


def test_a_catastrophic_pattern_is_given_up_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opentine_gui.app.search.step_search.PATTERN_SECONDS", 0.01)
    monkeypatch.setattr("opentine_gui.app.search.step_search.PATTERN_BUDGET", 0.03)
    steps = [a_step(number, outputs={"text": "a" * 60 + "!"}) for number in range(40)]
    search = StepSearch(parse_query(r"/^(a|aa)+$/"))
    with pytest.raises(PatternTooSlow):
        list(scan_run(RunRecord(run_id="r", graph=Graph.of(steps)), search))
    assert search.too_slow


def test_a_step_that_cannot_be_read_is_passed_over() -> None:
    assert StepSearch(parse_query("a")).count("", None, b'{"inputs":{"a":') == 0
    assert content_of(b"[1]") == {}


def test_a_needle_has_pieces_for_everything_but_nothing() -> None:
    assert Needle.of("").pieces == ()
    assert Needle.of("a").pieces and Needle.of("\n").pieces and Needle.of("错").pieces


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("error:", [0, 1]),
        ("kind:tool error:lint", [0]),
        ('error:"ERROR task failed"', [0]),
        ("error:registry.go", [0]),
        ('error:"exit code 3"', [1]),
        ("error:fine", []),
        ("-error:lint error:", [1]),
    ],
)
def test_errors_are_found_by_what_is_shown_of_them_also_where_the_exit_code_is_lost_in_a_pipe(
    query: str, found: list[int]
) -> None:
    printed = "[lint:go] strategy/registry.go:27:1: Get\n\x1b[31m[lint:go] ERROR \x1b[1mtask\x1b[0m failed"
    steps = [
        a_step(0, StepKind.TOOL, inputs=shell("mise run lint 2>&1 | tail"), outputs={"result": printed}),
        a_step(1, StepKind.TOOL, inputs=shell("./deploy"), outputs={"returncode": 3}, error={"returncode": 3}),
        a_step(2, StepKind.TOOL, inputs=shell("mise run lint 2>&1 | tail"), outputs={"result": "lint: fine"}),
    ]
    record = RunRecord(run_id="run-8", graph=Graph.of(steps), metadata={})
    parts = list(scan_run(record, StepSearch(parse_query(query))))
    assert [one.position for part in parts for one in part if one.position >= 0] == found


def shell(command: str) -> dict[str, Any]:
    return {"name": "Bash", "arguments": {"command": command}}
