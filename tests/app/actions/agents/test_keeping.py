"""Sessions are kept, opened from the archive and removed."""

from __future__ import annotations

import shutil
from pathlib import Path

from opentine_gui.app.state.prompts import Confirm
from tests.app.actions.conftest import RECORDED, cases_of, covers
from tests.app.conftest import Bench


def kept(bench: Bench) -> Path:
    """A recorded session in the home folder of the test, which is kept; returns its path."""
    shutil.copytree(RECORDED, bench.session.agent_sessions.places.home, dirs_exist_ok=True)
    bench.do("keep.switch", on=True)
    bench.session.settle()
    (path,) = (bench.session.agent_sessions.places.home / ".claude" / "projects").glob("*/*.jsonl")
    return path


@covers("keep.switch")
def _keep(bench: Bench) -> None:
    kept(bench)
    assert bench.session.settings.keep
    assert len(bench.session.agent_sessions.keeping.pages) == 1
    assert any("are kept in" in said for said in bench.notices("info"))
    bench.do("keep.switch")
    assert not any("are kept in" in said for said in bench.notices())
    assert bench.session.actions["keep.switch"].state(bench.session) is False
    assert len(bench.session.agent_sessions.keeping.pages) == 1


@covers("keep.choose_folder")
def _keep_elsewhere(bench: Bench) -> None:
    kept(bench)
    (bench.folder / "other").mkdir()
    bench.do("keep.choose_folder", (bench.folder / "other",))
    bench.session.settle()
    bench.session.settle()
    assert list((bench.folder / "other" / "sessions").glob("*.json"))


@covers("keep.copy_folder")
def _copy_kept_folder(bench: Bench) -> None:
    bench.do("keep.copy_folder")
    assert bench.copied == [str(bench.session.agent_sessions.keeping.folder(bench.session.settings))]


@covers("keep.remove")
def _remove_kept(bench: Bench) -> None:
    assert bench.session.enabled("keep.remove") == "No session is kept."
    source = kept(bench)
    folder = bench.session.agent_sessions.keeping.folder(bench.session.settings)
    bench.do("keep.remove", "Cancel")
    assert folder.exists()
    bench.do("keep.remove", "Remove archive")
    assert isinstance(bench.prompter.asked[-1], Confirm)
    assert "1 session, " in bench.prompter.asked[-1].text
    assert not folder.exists()
    assert source.exists()
    assert not bench.session.settings.keep


@covers("keep.open_copy")
def _open_kept(bench: Bench) -> None:
    source = kept(bench)
    content = source.read_bytes()
    source.unlink()
    bench.do("keep.open_copy", path=source)
    assert bench.active.path is not None
    assert bench.active.path != source
    assert bench.active.path.read_bytes() == content


test_the_action_does_what_it_says = cases_of(__name__)
