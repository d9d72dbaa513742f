"""Inspect: what the real library recorded against the scripted outputs; samples, limits, branches, retries, dirt."""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import FormatError, LimitError, RunRecord, TineError
from opentine_gui.importers.readers import parts_of, read_run, read_source
from opentine_gui.importers.sources import archives
from opentine_gui.importers.sources.parts import part_path
from tests.importers.model_side import RECORDINGS, expected

CASES = sorted((RECORDINGS / "inspect-ai").iterdir())


def log_of(folder: Path) -> Path:
    return next(path for path in folder.iterdir() if path.name != "expected.json")


def names(record: RunRecord, agent: bool) -> list[str]:
    inside: set[str] = set()
    found = []
    for step in record.graph:
        if step.v3_kind == "subagent" or (set(step.parent_ids[-1:]) & inside and step.inputs.get("name") != "helper"):
            inside.add(step.id)
        if step.kind == "tool" and (step.id in inside) == agent:
            found.append(step.inputs["name"])
    return found


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_every_sample_reads_as_what_was_scripted(folder: Path) -> None:
    truth = expected(folder)
    path = log_of(folder)
    assert [part.id for part in parts_of(path)] == [f"{name}_epoch_1" for name in truth["samples"]]
    for part in parts_of(path):
        record = read_run(part_path(path, part.id))
        answers = [step for step in record.graph if step.shown_kind == "model"]
        wanted = truth["per_sample"]
        assert len(answers) == wanted["model_calls_boss"] + wanted["model_calls_helper"]
        assert names(record, agent=False) == ["sh", "sh", "sh", "helper", "submit"]
        assert names(record, agent=True) == ["sh", "submit"]
        join = next(step for step in record.graph if len(step.parent_ids) == 2 and step.kind == "model")
        assert [step.inputs["arguments"] for step in record.graph if step.id in join.parent_ids] == [
            {"cmd": "echo one"},
            {"cmd": "echo two"},
        ]
        failed = next(step for step in record.graph if step.kind == "tool" and step.error)
        assert failed.error["message"] == "scripted tool failure"
        assert sum(step.usage["input"] for step in answers) == 600
        score = next(step for step in record.graph if step.kind == "done")
        assert score.outputs["score"]["value"] == "C"
        assert record.refs["main"] == score.id
        assert record.metadata["scored"] == "correct"
        retries = [step for step in record.graph if step.kind == "error"]
        assert len(retries) == truth["sample_failures_before_success"]


def test_the_archive_and_the_document_have_the_same_steps() -> None:
    first, second = (read_run(log_of(folder)) for folder in CASES[:2])
    assert first.graph.ids == second.graph.ids


@pytest.mark.parametrize(
    ("ended", "outcome"),
    [
        ({"scores": {"includes": {"value": "I"}}}, "incorrect"),
        ({"scores": {"includes": {"value": "C"}, "speed": {"value": 0.25}}}, "correct, score 0.25"),
        ({"scores": {"judge": {"value": {"taste": 3}}}}, "scored"),
        ({"scores": {"judge": {"value": "C"}}, "error": {"message": "broken"}}, "error"),
        ({"scores": {"judge": []}}, "scored"),
        ({"scores": 7}, ""),
        ({}, ""),
    ],
)
def test_a_sample_is_listed_with_how_it_was_scored(tmp_path: Path, ended: dict[str, Any], outcome: str) -> None:
    (part,) = parts_of(save(tmp_path / "log.json", [], **ended))
    assert (part.title, part.outcome) == ("go", outcome)


def test_an_archive_tells_how_its_samples_were_scored_without_unpacking_them() -> None:
    assert {part.outcome for folder in CASES[:2] for part in parts_of(log_of(folder))} == {"correct"}


def event(kind: str, time: int, **fields: Any) -> dict[str, Any]:
    return {"event": kind, "timestamp": f"2026-01-01T10:00:{time:02}+00:00", **fields}


def model(time: int, says: str, heard: str = "go", **fields: Any) -> dict[str, Any]:
    output = {"model": "m", "choices": [{"message": {"role": "assistant", "content": says}}]}
    fields.setdefault("input", [{"role": "user", "content": heard}])
    return event("model", time, output=output, **fields)


def save(path: Path, events: list[dict[str, Any]], **sample: Any) -> Path:
    whole = {"id": 1, "epoch": 1, "input": "go", "events": events, **sample}
    path.write_text(
        json.dumps({"version": 2, "status": "success", "eval": {"task": "t"}, "plan": {}, "samples": [whole]})
    )
    return path


def test_a_branch_goes_on_from_its_anchor_and_its_replay_is_not_billed_again(tmp_path: Path) -> None:
    path = save(
        tmp_path / "log.json",
        [
            model(1, "one"),
            event("anchor", 2, anchor_id="a"),
            model(3, "two"),
            event("span_begin", 4, id="b", type="branch", name="retry"),
            model(5, "one", span_id="b"),
            event("branch", 6, span_id="b", from_anchor="a"),
            model(7, "another two", span_id="b"),
            event("span_end", 8, id="b"),
            model(9, "three"),
        ],
    )
    record = read_run(path)
    by_text = {step.outputs.get("text"): step for step in record.graph}
    assert by_text["another two"].parent_ids == (by_text["one"].id,)
    assert by_text["three"].parent_ids == (by_text["two"].id,)
    assert [step.outputs.get("text") for step in record.graph].count("one") == 1
    assert record.refs["main"] == by_text["three"].id


@pytest.mark.parametrize("source", ["input", None])
def test_what_a_solver_says_in_the_place_of_a_person_is_no_prompt(tmp_path: Path, source: str | None) -> None:
    """The sample's input and a person at the console say where they come from, in logs that record it at all."""

    def said(words: str, **more: str | None) -> dict[str, Any]:
        return {"role": "user", "content": words, **more}

    talk = [said("find it", source=source), said("use the other way", source="operator"), said("go on, please")]
    requests = [talk[:1], [talk[0], talk[1]], talk]
    events = [model(at, f"answer {at}", input=request) for at, request in enumerate(requests, 1)]
    record = read_run(save(tmp_path / "log.json", events))
    prompts = [step for step in record.graph if step.shown_kind in ("human", "policy")]
    assert [step.inputs["text"] for step in prompts] == ["find it", "use the other way", "go on, please"]
    assert prompts[2].shown_kind == ("policy" if source else "human")
    assert {step.shown_kind for step in prompts[:2]} == {"human"}
    assert record.asked_last == ("use the other way" if source else "go on, please")


@pytest.mark.parametrize(
    ("printed", "failed"),
    [
        ("bash: line 1: steghide: command not found\n", True),
        ("sh: 1: zsteg: not found", True),
        ("/bin/sh: 1: zsteg: not found\n/bin/sh: 2: xxd: not found\n", True),
        ("bash: line 1: steghide: command not found\nflag.png\n", False),
        ("the log says bash: line 1: steghide: command not found", False),
        ("", False),
    ],
)
def test_a_command_that_the_shell_did_not_find_failed(tmp_path: Path, printed: str, failed: bool) -> None:
    call = event("tool", 2, id="c1", function="bash", arguments={"cmd": "steghide flag.png"}, result=printed)
    reading = read_source(save(tmp_path / "log.json", [model(1, "I look"), call]))
    step = next(step for step in reading.record.graph if step.shown_kind == "tool")
    assert bool(step.error) is failed
    assert step.error.get("message", "") == (printed.splitlines()[0] if failed else "")
    assert list(reading.former.values()) == ([step.id] if failed else []), "notes and bookmarks keep their step"


def test_a_limit_an_approval_and_the_samples_own_error_are_steps(tmp_path: Path) -> None:
    path = save(
        tmp_path / "log.json",
        [
            model(1, "one"),
            event("approval", 2, call={"function": "rm", "arguments": {"path": "/"}}, decision="reject"),
            event("sample_limit", 3, type="message", message="Exceeded message limit: 50"),
        ],
        error={"message": "ValueError('no')", "traceback": ""},
    )
    record = read_run(path)
    kinds = [step.shown_kind for step in record.graph]
    assert kinds == ["human", "model", "approval", "error", "error"]
    assert [step.error["type"] for step in record.graph if step.error] == ["message limit", "ValueError"]
    assert record.status == "failed"


def test_long_texts_and_images_stand_among_the_attachments(tmp_path: Path) -> None:
    path = save(tmp_path / "log.json", [model(1, "attachment://x")], attachments={"x": "a long text"})
    assert next(step for step in read_run(path).graph if step.kind == "model" and not step.v3_kind).outputs == {
        "text": "a long text"
    }


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", "{}")
        archive.writestr("samples/1_epoch_1.json", b" " * 200_000)
    monkeypatch.setattr(archives, "LARGEST_MEMBER", 100_000)
    with pytest.raises(LimitError, match="larger"):
        read_run(path)


def test_a_damaged_archive_and_a_log_without_samples_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    content = bytearray(log_of(CASES[0]).read_bytes())
    content[200:260] = bytes(60)
    path.write_bytes(bytes(content))
    with suppress(TineError):
        read_run(part_path(path, "s1_epoch_1"))
    path.write_bytes(bytes(content)[:3000])
    with pytest.raises(FormatError, match="damaged"):
        read_run(path)
    with pytest.raises(FormatError, match="no events"):
        read_run(save(tmp_path / "log.json", []))
    with pytest.raises(FormatError, match="no sample 'x'"):
        read_run(part_path(log_of(CASES[1]), "x"))


KINDS = st.sampled_from(["model", "tool", "span_begin", "span_end", "step", "branch", "anchor", "score", "state", "x"])
ODD = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=4),
                   lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
                   max_leaves=5)  # fmt: skip
NAMES = st.sampled_from(["a", "b", "agent", "tool", "branch", "begin", "end"])
EVENTS = st.lists(
    st.fixed_dictionaries(
        {"event": KINDS},
        optional=dict.fromkeys(("id", "span_id", "parent_id", "type", "name", "function", "action"), NAMES | ODD)
        | dict.fromkeys(("input", "output", "input_refs", "arguments", "result", "error", "events", "score"), ODD),
    ),
    max_size=8,
)


@given(EVENTS)
@settings(max_examples=60)
def test_events_of_any_shape_make_a_graph_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, events: list[dict[str, Any]]
) -> None:
    with suppress(TineError):
        assert len(read_run(save(tmp_path_factory.mktemp("odd") / "log.json", events)).graph) > 0
