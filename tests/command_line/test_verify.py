"""`verify`: what it answers for sound, changed, redacted and unreadable files."""

from __future__ import annotations

import json
from pathlib import Path

import opentine
import pytest

from opentine_gui import cli
from tests.command_line.answers import ids, tamper


def test_verify_says_a_line_a_file_and_0_when_all_is_fine(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", str(source), str(source)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.startswith(f"{source}: ok") for line in lines] == [True, True, False]
    assert lines[2] == "2 files: 2 ok"


def test_verify_answers_1_for_a_changed_payload(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", str(tamper(source, "joined", "forged"))]) == 1
    assert "digest" in capsys.readouterr().out


def test_a_fork_of_a_changed_file_says_so_in_verify_and_show(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tamper(source, '"cost": 0', '"cost": 9')
    target = tmp_path / "fork.tine"
    assert cli.main(["fork", str(source), "--from", ids(source)[-1], "-o", str(target)]) == 0
    capsys.readouterr()
    assert cli.main(["verify", str(target)]) == 1
    line = capsys.readouterr().out
    assert "MISMATCH, digest matches; 5 of 5 step ids match; " in line
    assert "made from a run that did not verify: run " in line and "where the digest says " in line
    assert cli.main(["verify", "--json", str(target)]) == 1
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert [mark["digest"] for mark in found["unverified_origins"]] == ["mismatch"]
    cli.main(["show", str(target)])
    assert "Made from a run that did not verify: run " in capsys.readouterr().out


def test_verify_finds_a_changed_step_that_the_package_passes(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tamper(source, "joined", "forged", reseal=True)
    assert opentine.Run.verify_integrity(source).ok
    assert cli.main(["verify", str(source)]) == 1
    assert ids(source)[3][:12] in capsys.readouterr().out


def test_verify_can_let_redacted_steps_pass(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tamper(source, '"joined"', '"[REDACTED]"', reseal=True)
    assert cli.main(["verify", str(source)]) == 3
    assert "redact" in capsys.readouterr().out
    assert cli.main(["verify", "--allow-redacted", str(source)]) == 0
    tamper(source, '"text": "done"', '"text": "forged"', reseal=True)
    assert cli.main(["verify", "--allow-redacted", str(source)]) == 1


def test_verify_answers_2_when_any_file_cannot_be_read_and_still_checks_the_others(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.tine"
    broken.write_text("{")
    gone = tmp_path / "gone.tine"
    assert cli.main(["verify", str(broken), str(gone), str(source)]) == 2
    out = capsys.readouterr().out.splitlines()
    assert out[2].startswith(f"{source}: ok")
    assert out[3:] == ["3 files: 2 not readable, 1 ok"]


def test_verify_says_that_a_legacy_file_has_no_digest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = tmp_path / "old.tine"
    old.write_text(
        '{"type":"Run","id":"src","steps":[{"type":"Step","id":"6c23b87fdfc9","parent_id":null,"kind":"think",'
        '"inputs":{"text":"hi"},"outputs":{},"model_info":"","timestamp":1.0,"duration":0.0,"cost":0.0}]}'
    )
    assert cli.main(["verify", str(old)]) == 3
    assert "no digest" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("integrity", "said"),
    [
        (None, "no digest to check"),
        ("sha256", "no digest to check"),
        ({}, "digest cannot be used (unsupported algorithm)"),
        ({"algorithm": "md5", "digest": "0" * 64}, "digest cannot be used (unsupported algorithm)"),
        ({"algorithm": "sha256", "digest": "0"}, "digest cannot be used (malformed digest)"),
        ({"algorithm": "sha256"}, "digest cannot be used (malformed digest)"),
    ],
)
def test_verify_answers_3_for_a_file_whose_digest_cannot_be_compared(
    source: Path, capsys: pytest.CaptureFixture[str], integrity: object, said: str
) -> None:
    data = json.loads(source.read_text())
    data["metadata"]["integrity"] = integrity
    next(iter(data["graph"]["steps"].values()))["cost"] = 1_000_000.0
    source.write_text(json.dumps(data))
    assert cli.main(["verify", str(source)]) == 3
    assert capsys.readouterr().out.startswith(
        f"{source}: not verified, nothing contradicts it, but not everything could be checked, {said}; "
    )


def test_verify_answers_for_the_worst_of_its_files(source: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.tine"
    whole.write_bytes(source.read_bytes())
    bare = tmp_path / "bare.tine"
    data = json.loads(source.read_text())
    del data["metadata"]["integrity"]
    bare.write_text(json.dumps(data))
    forged = tamper(source, "joined", "forged")
    assert cli.main(["verify", str(bare), str(whole)]) == 3
    assert cli.main(["verify", str(forged), str(bare)]) == 1
    assert cli.main(["verify", str(bare), str(tmp_path / "gone.tine"), str(forged)]) == 2


def test_a_redacted_file_without_a_digest_is_not_verified_even_when_redaction_is_allowed(source: Path) -> None:
    data = json.loads(source.read_text().replace('"joined"', '"[REDACTED]"'))
    del data["metadata"]["integrity"]
    source.write_text(json.dumps(data))
    assert cli.main(["verify", str(source)]) == 3
    assert cli.main(["verify", "--allow-redacted", str(source)]) == 3


def test_verify_of_an_agents_session_says_that_there_is_nothing_to_check(capsys: pytest.CaptureFixture[str]) -> None:
    recorded = Path(__file__).parents[1] / "data/recordings/claude-code/2.1.197-b-parallel"
    session = next(recorded.rglob("*.jsonl"))
    assert cli.main(["verify", str(session)]) == 2
    said = capsys.readouterr()
    assert "a session of Claude Code has no digest and no step ids to check" in said.err
    assert said.out.endswith(": cannot be verified\n")


@pytest.mark.parametrize("command", ["verify", "show"])
def test_a_link_that_leads_to_nothing_is_called_that_and_not_proposed(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "gone.tine"
    link.symlink_to("nowhere.tine")
    assert cli.main([command, str(link)]) != 0
    said = capsys.readouterr().err
    assert f"{link}: this link leads to nothing" in said
    assert "did you mean" not in said
