"""What the crawler starts from: documents of every sort, each put on screen as a user would."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from bench.generate import agent_run, run_of
from opentine_gui.core import Graph
from opentine_gui.core.files.storage import write
from tests.core.analysis.call_runs import failing_session, session_of_edits
from tests.ui.opened import Opened

Scene = Callable[[Opened, Path], None]
BROKEN = Path(__file__).parents[2] / "data" / "bad" / "dup_in_inputs.tine"
RECORDING = Path(__file__).parents[2] / "data" / "recordings" / "claude-code" / "2.1.197-b-parallel" / "home"
LARGE = 10_000


def demo(opened: Opened, runs: Path) -> None:
    """A run with one step selected."""
    opened.open(runs / "research-01.tine")
    _select(opened, 3)


def run(opened: Opened, runs: Path) -> None:
    """A run with nothing selected."""
    opened.open(runs / "research-01.tine")


def two_steps(opened: Opened, runs: Path) -> None:
    """A run with two steps selected that can be merged."""
    document = opened.open(runs / "research-01.tine")
    assert document.record is not None
    _select(opened, *document.record.graph.tips[:2])


def reading(opened: Opened, runs: Path) -> None:
    """The reading view over a step that failed with a traceback."""
    document = opened.open(runs / "research-01.tine")
    assert document.record is not None
    _select(opened, len(document.record.graph) - 1)
    opened.session.invoke("inspect.read")
    opened.rest()


def difference(opened: Opened, runs: Path) -> None:
    """A step beside its parent."""
    opened.open(runs / "research-01.tine")
    _select(opened, 12)
    opened.session.invoke("inspect.diff_parent")
    opened.rest()


def files(opened: Opened, runs: Path) -> None:
    """The text of a touched file, in the list of which it is picked."""
    path = runs / "edits.tine"
    write(path, session_of_edits())
    opened.open(path)
    opened.session.invoke("view.files", shown=True)
    opened.session.invoke("files.read", path="/w/src/a.py")
    opened.until(lambda: opened.window.reading.file.page is not None, "the file's text")
    opened.rest()


def failing(opened: Opened, runs: Path) -> None:
    """A failed run with suspects, nothing selected."""
    path = runs / "failing.tine"
    write(path, failing_session())
    opened.open(path)
    opened.rest()


def coloured(opened: Opened, runs: Path) -> None:
    """A run coloured by tool, with the figures of one of them."""
    path = runs / "coloured.tine"
    write(path, session_of_edits())
    opened.open(path)
    opened.session.invoke("view.heat", figure="tool")
    opened.session.invoke("heat.name", name="Edit")
    opened.rest()


def session(opened: Opened, runs: Path) -> None:
    """An agent's own session, with a step selected."""
    home = shutil.copytree(RECORDING, runs / "home", dirs_exist_ok=True)
    opened.open(min(path for path in home.rglob("*.jsonl") if "subagents" not in path.parts))
    _select(opened, 4)


def folded(opened: Opened, runs: Path) -> None:
    """A long run in groups, one of which is open."""
    opened.open(_long(runs, "long", 300))
    opened.keyboard.press("Down")
    opened.rest()
    opened.keyboard.press("Return")
    opened.rest()


def continuing(opened: Opened, runs: Path) -> None:
    """What will be written to go on in an agent, in the dock beside the canvas. Nothing is ever started from it."""
    opened.session.terminals.run = lambda _command, _folder: None  # type: ignore[method-assign,assignment]
    session(opened, runs)
    _select(opened, *[at for at, step in enumerate(_graph(opened)) if step.shown_kind == "model"][:1])
    opened.session.invoke("continue.propose")
    opened.rest()


def template(opened: Opened, runs: Path) -> None:
    """A command of one's own that goes on with a run, with its template in a box."""
    opened.open(runs / "research-01.tine")
    _select(opened, 3)
    opened.session.invoke("continue.propose", said="echo {file} {step}")
    opened.rest()


def output(opened: Opened, runs: Path) -> None:
    """The output of a command that ran to its end."""
    template(opened, runs)
    opened.session.invoke("proposal.accept")
    command = None

    def ended() -> bool:
        nonlocal command
        command = opened.session.command
        return command is not None and command.status is not None

    opened.until(ended, "the command at its end")
    opened.rest()


def agents(opened: Opened, _runs: Path) -> None:
    """The sessions that an agent keeps on this machine, and no run."""
    home = opened.session.agent_sessions.places.home
    shutil.copytree(RECORDING, home, dirs_exist_ok=True)
    opened.session.agent_sessions.look(opened.session)
    opened.until(lambda: any(rows for *_, rows in opened.session.agent_sessions.by_agent), "the list of sessions")
    opened.rest()


def files_panel(opened: Opened, runs: Path) -> None:
    """The files that a run touched, listed, one of them picked."""
    path = runs / "edits.tine"
    write(path, session_of_edits())
    opened.open(path)
    opened.session.invoke("view.files", shown=True)
    opened.session.invoke("files.pick", path="/w/src/a.py")
    opened.rest()


def notes(opened: Opened, runs: Path) -> None:
    """Steps with notes, marks and colours, listed."""
    opened.open(runs / "research-01.tine")
    for position, note in ((2, "Look here first"), (5, "A very long note " * 12)):
        opened.session.invoke("step.note", step=_graph(opened).ids[position], text=note)
        opened.rest()
    opened.session.invoke("step.bookmark", step=_graph(opened).ids[7])
    opened.rest()


def searching(opened: Opened, runs: Path) -> None:
    """The search of a folder, with results."""
    opened.open(runs / "research-01.tine")
    opened.session.invoke("search.folder")
    opened.session.invoke("search.ask", text="search")
    opened.until(lambda: opened.session.search.steps > 3 and not opened.session.search.running, "the results")
    opened.rest()


def nothing(_opened: Opened, _runs: Path) -> None:
    """The window as it is when no file was given."""


def empty(opened: Opened, runs: Path) -> None:
    path = runs / "empty.tine"
    if not path.exists():
        write(path, run_of(Graph.of([]), "empty"))
    _open(opened, path)


def broken(opened: Opened, runs: Path) -> None:
    path = runs / "broken.tine"
    shutil.copy(BROKEN, path)
    _open(opened, path)


def large(opened: Opened, runs: Path) -> None:
    opened.open(_long(runs, "large", LARGE))


def comparison(opened: Opened, runs: Path) -> None:
    opened.open(runs / "retry-01.tine")
    opened.open(runs / "research-01.tine")
    opened.session.invoke("compare.open")
    opened.rest()
    _shown(opened)


def family(opened: Opened, runs: Path) -> None:
    opened.open(runs / "research-01.tine")
    opened.session.invoke("family.open")
    opened.rest()
    _shown(opened)


def presentation(opened: Opened, runs: Path) -> None:
    opened.open(runs / "research-01.tine")
    opened.session.invoke("present.start")
    opened.rest()


def _long(runs: Path, name: str, steps: int) -> Path:
    """A run of so many steps, made once for all the times the scene is set."""
    kept = runs.parent / f"{name}.tine"
    if not kept.exists():
        write(kept, agent_run(steps, run_id=name))
    return Path(shutil.copy(kept, runs / kept.name))


def _open(opened: Opened, path: Path) -> None:
    opened.session.invoke("file.open", path=path)
    opened.until(lambda: opened.session.active is not None and not opened.session.busy, f"{path.name} opened")


def _select(opened: Opened, *positions: int) -> None:
    record = opened.document.record
    assert record is not None
    for number, position in enumerate(positions):
        opened.session.invoke("select.add" if number else "select.step", step=record.graph.ids[position])
    opened.rest()


def _graph(opened: Opened) -> Graph:
    record = opened.document.record
    assert record is not None
    return record.graph


def _shown(opened: Opened) -> None:
    opened.until(lambda: opened.document.picture.layout is not None, "the graph laid out")
    opened.rest()


SLOW = ("large", "continuing", "template", "output", "searching")
"""Scenes that take long to reach: a sample looks less far there."""
SCENES: dict[str, Scene] = {
    "demo": demo,
    "run": run,
    "two steps": two_steps,
    "reading": reading,
    "difference": difference,
    "files": files,
    "failing": failing,
    "coloured": coloured,
    "nothing": nothing,
    "empty": empty,
    "broken": broken,
    "large": large,
    "comparison": comparison,
    "family": family,
    "presentation": presentation,
    "session": session,
    "folded": folded,
    "continuing": continuing,
    "template": template,
    "output": output,
    "agents": agents,
    "files panel": files_panel,
    "notes": notes,
    "searching": searching,
}
