"""The list of agents' sessions, and a run that still grows."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.app.state.prompts import Choose
from opentine_gui.core.files import storage
from tests.app.actions.conftest import TREE, cases_of, covers, opened
from tests.app.conftest import Bench
from tests.conftest import run_of


def grown(bench: Bench) -> None:
    """Let the open file get one more step, as its writer does."""
    bench.write("run.tine", run_of({**TREE, "g": "f"}))
    bench.watch.post([bench.folder / "run.tine"])
    bench.session.settle()


@covers("live.follow")
def _follow(bench: Bench) -> None:
    opened(bench)
    bench.do("live.follow")
    grown(bench)
    assert bench.active.live.news == ()
    assert bench.session.actions["live.follow"].state(bench.session) is True
    bench.do("live.follow", document=bench.active.number)
    assert not bench.active.live.follows


def test_follow_in_the_menu_of_a_tab_is_about_that_tab(bench: Bench) -> None:
    opened(bench)
    file = bench.active
    bench.do("run.fork", step=bench.record.graph.ids[1], accept=True)
    fork, action = bench.active, bench.session.actions["live.follow"]
    assert bench.session.enabled("live.follow", document=file.number) is None
    bench.do("live.follow", document=file.number)
    assert file.live.follows
    assert action.state(bench.session, document=file.number) is True
    assert action.state(bench.session) is False
    bench.do("document.activate", document=file.number)
    assert bench.session.enabled("live.follow", document=fork.number) == "This run is in no file that could grow."
    bench.do("live.follow", document=fork.number)
    assert not fork.live.follows


@covers("live.show_new")
def _show_new(bench: Bench) -> None:
    opened(bench)
    assert bench.session.enabled("live.show_new") == "Nothing came since you looked."
    grown(bench)
    assert len(bench.active.live.news) == 1
    bench.do("live.show_new")
    assert bench.active.live.news == ()


def at_home(bench: Bench) -> Path:
    """A session of an agent in the home folder of the test, held in the working folder."""
    home = bench.session.agent_sessions.places.home
    folder = home / ".pi" / "agent" / "sessions" / f"--{str(bench.folder).strip('/').replace('/', '-')}--"
    folder.mkdir(parents=True)
    path = folder / "1.tine"
    storage.write(path, run_of(TREE))
    return path


@covers("sessions.show")
def _show_sessions(bench: Bench) -> None:
    bench.do("sessions.show")
    assert not bench.session.view.sessions
    assert not bench.session.settings.sessions
    bench.do("sessions.show", shown=True)
    assert bench.session.actions["sessions.show"].state(bench.session) is True


@covers("sessions.open")
def _open_session(bench: Bench) -> None:
    bench.do("sessions.open", path=at_home(bench))
    assert len(bench.record.graph) == 6


@covers("sessions.fold")
def _fold_sessions(bench: Bench) -> None:
    bench.do("sessions.fold", agent="pi")
    assert bench.session.agent_sessions.folded == {"pi"}
    bench.do("sessions.fold", agent="pi")
    assert not bench.session.agent_sessions.folded


@covers("sessions.all")
def _all_sessions(bench: Bench) -> None:
    bench.do("sessions.all", agent="pi")
    assert bench.session.agent_sessions.whole == {"pi"}


@covers("sessions.copy_path")
def _copy_session_path(bench: Bench) -> None:
    path = at_home(bench)
    bench.do("sessions.copy_path", path=path)
    assert bench.copied == [str(path)]


@covers("sessions.latest")
def _latest_session(bench: Bench) -> None:
    bench.do("sessions.latest")
    assert "No agent has held a session" in bench.notices("info")[0]


@covers("sessions.latest_of")
def _latest_session_of(bench: Bench) -> None:
    bench.do("sessions.latest_of", "pi")
    assert isinstance(bench.prompter.asked[-1], Choose)
    assert "No agent has held a session" in bench.notices("info")[0]


test_the_action_does_what_it_says = cases_of(__name__)
