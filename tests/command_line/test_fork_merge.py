"""`fork` and `merge`; the real opentine package checks what they write."""

from __future__ import annotations

import json
import os
from pathlib import Path

import opentine
import pytest

from opentine_gui import cli
from tests.command_line.answers import ids, one_complaint, sound, tamper


def test_fork_keeps_the_ancestors_and_leaves_the_source_alone(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, kept = source.read_bytes(), ids(source)
    out = tmp_path / "out.tine"
    assert (
        cli.main(
            [
                "fork",
                str(source),
                "--from",
                kept[3][:10],
                "--title",
                "Again",
                "--tag",
                "B",
                "--tag",
                "a",
                "-o",
                str(out),
            ]
        )
        == 0
    )
    run = opentine.Run.load(out)
    assert [step.id for step in run.steps] == kept[:4]
    assert (run.status.value, run.tags, run.refs["main"]) == ("running", ["a", "b"], kept[3])
    assert json.loads(out.read_text())["metadata"]["title"] == "Again"
    assert run.id in capsys.readouterr().out
    assert sound(out)
    assert source.read_bytes() == before


def test_two_forks_of_one_step_get_two_ids_and_a_given_id_is_taken(source: Path, tmp_path: Path) -> None:
    outs = [tmp_path / name for name in ("a.tine", "b.tine", "c.tine")]
    for out in outs[:2]:
        assert cli.main(["fork", str(source), "--from", ids(source)[0], "-o", str(out)]) == 0
    assert cli.main(["fork", str(source), "--from", ids(source)[0], "--id", "mine", "-o", str(outs[2])]) == 0
    first, second, third = (opentine.Run.load(out).id for out in outs)
    assert first != second
    assert third == "mine"


def test_fork_with_edited_inputs_puts_a_sibling_beside_the_step(source: Path, tmp_path: Path) -> None:
    out, kept = tmp_path / "out.tine", ids(source)
    assert (
        cli.main(["fork", str(source), "--from", kept[3], "--edit-inputs", '{"prompt": "join é"}', "-o", str(out)]) == 0
    )
    run = opentine.Run.load(out)
    assert [step.id for step in run.steps][:3] == kept[:3]
    (edited,) = run.steps[3:]
    assert edited.inputs == {"prompt": "join é"}
    assert edited.parent_ids == opentine.Run.load(source).steps[3].parent_ids
    assert sound(out)


@pytest.mark.parametrize("step", ["ffffffffffff", ""])
def test_fork_refuses_an_unknown_step(
    source: Path, tmp_path: Path, step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["fork", str(source), "--from", step, "-o", str(tmp_path / "out.tine")]) == 1
    assert str(source) in one_complaint(capsys)
    assert not (tmp_path / "out.tine").exists()


def test_nothing_is_overwritten_without_force(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.tine"
    out.write_text("precious")
    words = ["fork", str(source), "--from", ids(source)[0], "-o", str(out)]
    assert cli.main(words) == 1
    assert "--force" in one_complaint(capsys)
    assert out.read_text() == "precious"
    assert cli.main([*words, "--force"]) == 0
    assert sound(out)


def test_force_says_that_other_names_of_the_file_keep_what_it_held(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, other = tmp_path / "out.tine", tmp_path / "other.tine"
    out.write_bytes(b"old")
    os.link(out, other)
    assert cli.main(["fork", str(source), "--from", ids(source)[0], "-o", str(out), "--force"]) == 0
    assert "1 other name" in capsys.readouterr().err
    assert other.read_bytes() == b"old"
    assert sound(out)
    assert cli.main(["fork", str(source), "--from", ids(source)[0], "-o", str(out), "--force"]) == 0
    assert capsys.readouterr().err == ""


def test_force_replaces_one_name_of_a_file_and_says_that_the_others_keep_the_old_content(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, other = tmp_path / "out.tine", tmp_path / "other name.tine"
    out.write_bytes(b"old")
    other.hardlink_to(out)
    fork = ["fork", str(source), "--from", ids(source)[0], "-o", str(out)]
    assert cli.main(fork) == 1
    assert out.read_bytes() == b"old"
    capsys.readouterr()
    assert cli.main([*fork, "--force"]) == 0
    assert "under which the old content stays" in one_complaint(capsys)
    assert other.read_bytes() == b"old"
    assert sound(out)


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_folder_is_no_output_and_force_is_not_offered(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], force: list[str]
) -> None:
    assert cli.main(["fork", str(source), "--from", ids(source)[0], "-o", str(tmp_path), *force]) == 1
    assert "this is a folder" in one_complaint(capsys)


@pytest.mark.parametrize("name", ["source.tine", "link.tine", "hard.tine"])
def test_a_source_is_never_overwritten_under_any_name(
    source: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (source.parent / "link.tine").symlink_to(source)
    (source.parent / "hard.tine").hardlink_to(source)
    before = source.read_bytes()
    assert cli.main(["fork", str(source), "--from", ids(source)[0], "-o", str(source.with_name(name)), "--force"]) == 1
    assert "source" in one_complaint(capsys)
    assert source.read_bytes() == before


def test_an_unreadable_source_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.tine"
    broken.write_bytes(b"\x00")
    assert cli.main(["fork", str(broken), "--from", "a", "-o", str(tmp_path / "out.tine")]) == 2
    assert "broken.tine" in one_complaint(capsys)


# --- merge ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def family(source: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A run, and a fork of it that is one step longer."""
    other = tmp_path / "other.tine"
    assert cli.main(["fork", str(source), "--from", ids(source)[1], "-o", str(other)]) == 0
    run = opentine.Run.load(other)
    run.add_step(opentine.StepKind("model"), {"prompt": "another way"}, {"text": "other"})
    run.save(other)
    return source, other


def test_merge_across_runs_is_the_union_with_one_new_step(family: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = family
    before = first.read_bytes(), second.read_bytes()
    tips, out = [ids(first)[-1], ids(second)[-1]], tmp_path / "merged.tine"
    words = ["merge", str(first), str(second), "--parents", ",".join(tip[:12] for tip in tips), "-o", str(out)]
    assert cli.main([*words, "--inputs", '{"text": "compare"}', "--outputs", '{"text": "same"}']) == 0
    run = opentine.Run.load(out)
    assert {step.id for step in run.steps[:-1]} == {*ids(first), *ids(second)}
    joined = run.steps[-1]
    assert (list(joined.parent_ids), joined.kind.value, joined.inputs, joined.outputs) == (
        tips, "model", {"text": "compare"}, {"text": "same"},
    )  # fmt: skip
    assert set(tips) <= set(run.refs.values())
    assert json.loads(out.read_text())["metadata"]["merge"]
    assert sound(out)
    assert (first.read_bytes(), second.read_bytes()) == before


def test_merge_inside_one_run_writes_a_new_file_with_one_more_step(source: Path, tmp_path: Path) -> None:
    before, known, out = source.read_bytes(), ids(source), tmp_path / "merged.tine"
    assert (
        cli.main(["merge", str(source), "--parents", f"{known[1]},{known[2]}", "--kind", "think", "-o", str(out)]) == 0
    )
    assert ids(out)[:-1] == known
    assert list(opentine.Run.load(out).steps[-1].parent_ids) == known[1:3]
    assert sound(out)
    assert source.read_bytes() == before
    assert json.loads(out.read_text())["run_id"] != json.loads(before)["run_id"]


def test_an_empty_id_for_a_fork_is_derived(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "fork.tine"
    assert cli.main(["fork", str(source), "--from", ids(source)[1], "--id", "", "-o", str(out)]) == 0
    assert json.loads(out.read_text())["run_id"]
    assert cli.main(["verify", str(out)]) == 0


def test_merge_refuses_an_ancestor_unless_it_is_allowed(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known, out = ids(source), tmp_path / "merged.tine"
    words = ["merge", str(source), "--parents", f"{known[4]},{known[0]}", "-o", str(out)]
    assert cli.main(words) == 1
    assert "ancestor" in one_complaint(capsys)
    assert not out.exists()
    assert cli.main([*words, "--allow-ancestor"]) == 0
    assert sound(out)


def test_merge_refuses_the_same_step_twice(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = ids(source)
    assert (
        cli.main(["merge", str(source), "--parents", f"{known[1]},{known[1][:12]}", "-o", str(tmp_path / "m.tine")])
        == 1
    )
    one_complaint(capsys)


def test_merge_warns_of_a_step_that_does_not_verify_and_goes_on(
    family: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = family
    tamper(second, '"other"', '"[REDACTED]"', reseal=True)
    out = tmp_path / "merged.tine"
    assert (
        cli.main(["merge", str(first), str(second), "--parents", f"{ids(first)[-1]},{ids(second)[-1]}", "-o", str(out)])
        == 0
    )
    assert "warning" in capsys.readouterr().err
    assert opentine.Run.verify_integrity(out).ok


def test_merge_refuses_to_write_over_any_of_its_sources(
    family: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = family
    parents = f"{ids(first)[-1]},{ids(second)[-1]}"
    assert cli.main(["merge", str(first), str(second), "--parents", parents, "-o", str(second), "--force"]) == 1
    assert "source" in one_complaint(capsys)
