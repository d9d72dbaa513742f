"""Random actions on a real session: in whatever order, nothing is lost and no original changes."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from opentine_gui.app.canvas.proposals.current_proposal import current_proposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.core import encode
from opentine_gui.core.files import storage
from opentine_gui.core.graph.totals import totals_of
from tests.app.conftest import Bench
from tests.app.files.saved_runs import continued
from tests.conftest import run_of

SHAPES = (
    {"a": "", "b": "a", "c": "b"},
    {"a": "", "b": "a", "c": "a", "d": "b c", "xe": "d"},
    {"a": "", "z": "", "b": "a z", "c": "z"},
)
pick = st.integers(0, 1000)


class Work(RuleBasedStateMachine):
    """One session, one folder, two originals that must not change."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="session-machine-"))
        self.patch = pytest.MonkeyPatch()
        for name in ("CONFIG", "DATA"):
            self.patch.setenv(f"XDG_{name}_HOME", str(self.folder / name.lower()))
        self.bench = Bench(self.folder)
        self.originals: dict[Path, bytes] = {}
        self.steps: set[str] = set()
        """The steps of the originals."""
        self.added: list[tuple[Path, str]] = []
        """What another program added to files: the file and the step."""
        self.saved = 0

    def teardown(self) -> None:
        self.bench.session.close()
        self.patch.undo()
        shutil.rmtree(self.folder)

    @initialize(first=st.sampled_from(SHAPES), second=st.sampled_from(SHAPES))
    def open_two_runs(self, first: dict[str, str], second: dict[str, str]) -> None:
        for name, shape in (("one", first), ("two", second)):
            self.bench.open(f"{name}.tine", run_of(shape, run_id=name))
            path = self.folder / f"{name}.tine"
            self.originals[path] = path.read_bytes()
            self.steps |= set(self.bench.record.graph.ids)

    def step(self, number: int) -> str | None:
        ids = self.bench.record.graph.ids
        return ids[number % len(ids)] if ids else None

    @rule(number=pick)
    def go_to_another_tab(self, number: int) -> None:
        documents = self.bench.session.documents
        self.bench.do("document.activate", document=documents[number % len(documents)].number)

    @precondition(lambda self: len(self.bench.session.documents) < 6)
    @rule(number=pick, edit=st.booleans(), reset=st.booleans())
    def fork(self, number: int, edit: bool, reset: bool) -> None:
        source = self.bench.active
        before = source.state
        step = self.step(number)
        if edit:
            text = f'{{"text": "edited {number}"}}'
            self.bench.do("run.fork_edit", step=step, inputs=text, reset_metrics=reset)
        else:
            self.bench.do("run.fork", step=step, reset_metrics=reset)
        proposal = current_proposal(self.bench.session)
        assert isinstance(proposal, ForkProposal)
        self.bench.do("proposal.accept")
        assert source.state is before
        assert before is not None
        graph, promised = self.bench.record.graph, proposal.preview
        added = set(graph.ids) - set(promised.kept_ids)
        assert set(graph.ids) - added == set(promised.kept_ids)
        assert len(added) == int(edit)
        kept = [graph.index(step_id) for step_id in promised.kept_ids]
        assert totals_of(graph, kept) == promised.kept_totals
        assert len(before.record.graph) == promised.kept_totals.steps + promised.dropped_totals.steps

    @rule(one=pick, other=pick, text=st.integers(0, 3))
    def merge_inside_the_run(self, one: int, other: int, text: int) -> None:
        inputs = f'{{"text": "joined {text}"}}'
        self.bench.do("run.merge", steps=(self.step(one), self.step(other)), inputs=inputs, accept=True)
        self.bench.do("proposal.cancel")

    @precondition(lambda self: 1 < len(self.bench.session.documents) < 6)
    @rule(one=pick, other=pick)
    def merge_two_runs(self, one: int, other: int) -> None:
        left, right = self.bench.session.documents[:2]
        assert left.record is not None
        assert right.record is not None
        parents = (
            (left.number, left.record.graph.ids[one % len(left.record.graph)]),
            (right.number, right.record.graph.ids[other % len(right.record.graph)]),
        )
        self.bench.do("run.merge", parents=parents, accept=True)
        self.bench.do("proposal.cancel")

    @rule(number=pick, x=st.floats(-1e4, 1e4), y=st.floats(-1e4, 1e4))
    def move(self, number: int, x: float, y: float) -> None:
        step = self.step(number)
        assert step is not None
        self.bench.do("canvas.move_steps", pins={step: (x, y)})
        layout = self.bench.active.picture.layout
        assert layout is not None
        assert layout.position(step) == (x, y)

    @rule(number=pick, text=st.sampled_from(["", "one", "two"]))
    def write_a_note(self, number: int, text: str) -> None:
        self.bench.do("step.note", step=self.step(number), text=text)

    @rule(number=pick)
    def bookmark(self, number: int) -> None:
        self.bench.do("step.bookmark", step=self.step(number))

    @rule()
    def undo_and_redo_is_nothing(self) -> None:
        if self.bench.session.enabled("edit.undo") is None:
            before = self.bench.active.state
            self.bench.do("edit.undo")
            assert self.bench.active.state is not before
            self.bench.do("edit.redo")
            assert self.bench.active.state is before

    @rule(times=st.integers(1, 4))
    def undo(self, times: int) -> None:
        for _ in range(times):
            if self.bench.session.enabled("edit.undo") is None:
                self.bench.do("edit.undo")

    @rule()
    def redo(self) -> None:
        if self.bench.session.enabled("edit.redo") is None:
            self.bench.do("edit.redo")

    @rule()
    def turn(self) -> None:
        self.bench.do("view.direction")

    @rule()
    def save_under_a_new_name(self) -> None:
        self.saved += 1
        path = self.folder / f"saved-{self.saved}.tine"
        self.bench.do("file.save_as", path=path)
        document = self.bench.active
        assert not document.dirty
        assert document.record is not None
        loaded = storage.read(path)
        assert loaded.graph.ids == document.record.graph.ids
        assert encode(loaded) == path.read_bytes() == encode(document.record)

    @precondition(lambda self: self.bench.active.path is not None and self.bench.active.path not in self.originals)
    @rule()
    def save(self) -> None:
        if self.bench.session.enabled("file.save") is None:
            asked = len(self.bench.prompter.asked)
            self.bench.do("file.save")
            assert not self.bench.active.dirty or len(self.bench.prompter.asked) > asked

    @precondition(lambda self: len(self.bench.session.documents) > 2)
    @rule()
    def close_without_saving(self) -> None:
        self.bench.do("file.close", "Don't save")
        self.bench.prompter.answers.clear()

    @rule()
    def reopen(self) -> None:
        self.bench.do("file.reopen")

    @precondition(lambda self: self.saved > 0)
    @rule(number=pick)
    def open_what_was_saved(self, number: int) -> None:
        self.bench.do("file.open", path=self.folder / f"saved-{number % self.saved + 1}.tine")

    @precondition(lambda self: self.saved > 0)
    @rule(number=pick)
    def another_program_goes_on(self, number: int) -> None:
        path = self.folder / f"saved-{number % self.saved + 1}.tine"
        words = f"go on {len(self.added)}"
        record = continued(self.bench, path, words)
        self.added.append((path, record.graph.ids[-1]))

    @precondition(lambda self: self.bench.active.path is not None)
    @rule()
    def reload(self) -> None:
        self.bench.do("file.reload", discard=True)
        document = self.bench.active
        assert not document.dirty
        assert document.path is not None
        assert document.record is not None
        assert document.record.graph.ids == storage.read(document.path).graph.ids

    @invariant()
    def graphs_are_acyclic_and_pictures_are_those_of_the_runs(self) -> None:
        for document in self.bench.session.documents:
            assert document.record is not None
            parents = enumerate(document.record.graph.parents)
            assert all(parent < step for step, above in parents for parent in above)  # so there is no cycle
            assert document.picture.layout is not None
            assert document.picture.layout.nodes == document.record.graph.ids
            assert set(document.selection) <= set(document.record.graph.ids)

    @invariant()
    def every_tab_shows_what_is_kept_beside_the_steps_of_the_originals(self) -> None:
        for document in self.bench.session.documents:
            assert document.record is not None
            steps = [step for step in document.record.graph.ids if step in self.steps]
            kept = self.bench.session.side_stores.annotations.annotations(steps)
            assert {step: document.annotations[step] for step in steps if step in document.annotations} == kept

    @invariant()
    def what_another_program_added_is_never_replaced_unasked(self) -> None:
        files = {path: storage.read(path).graph for path, _step in self.added}
        assert all(step in files[path] for path, step in self.added)

    @invariant()
    def a_file_has_one_tab(self) -> None:
        paths = [document.path for document in self.bench.session.documents if document.path is not None]
        assert len(paths) == len(set(paths))

    @invariant()
    def originals_never_change(self) -> None:
        for path, content in self.originals.items():
            assert path.read_bytes() == content


Work.TestCase.settings = settings(max_examples=40, stateful_step_count=30, suppress_health_check=list(HealthCheck))
TestRandomWork = Work.TestCase
