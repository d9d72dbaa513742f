"""Edits, undo and redo, and what is copied of steps and values."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec

from opentine_gui.app.state.payload_form import entry_of
from opentine_gui.app.state.window_state import ValuePlace
from opentine_gui.app.system.desktop.editor import Editors
from opentine_gui.core import Graph, StepKind
from opentine_gui.core.edit.new_step import new_step
from tests.app.actions.conftest import cases_of, covers, opened, wait_for
from tests.app.conftest import Bench
from tests.conftest import named, run_of


@covers("canvas.move_steps")
def puts_cards_where_the_user_wants_them_as_one_edit(bench: Bench) -> None:
    record = opened(bench)
    a, f = named(record, "a"), named(record, "f")
    bench.do("canvas.move_steps", pins={a: (900.0, -50.0), f: (901.0, 50.0)})
    layout = bench.active.picture.layout
    assert layout is not None
    assert layout.position(a) == (900.0, -50.0)
    assert bench.active.history is not None
    assert len(bench.active.history) == 1
    assert not bench.active.dirty


@covers("edit.undo")
def takes_the_last_edit_back(bench: Bench) -> None:
    record = opened(bench)
    layout = bench.active.picture.layout
    assert layout is not None
    a = named(record, "a")
    before = layout.position(a)
    bench.do("canvas.move_steps", pins={a: (900.0, -50.0)})
    bench.session.text_focused = True
    assert "text box" in (bench.session.enabled("edit.undo") or "")
    bench.session.text_focused = False
    bench.do("edit.undo")
    assert bench.active.picture.layout is not None
    assert bench.active.picture.layout.position(a) == before
    assert bench.session.enabled("edit.undo") is not None


def test_after_undo_and_redo_the_step_that_comes_or_the_one_above_what_goes_is_selected(bench: Bench) -> None:
    record = opened(bench)
    tip = record.graph.ids[-1]
    bench.do("run.add_step", step=tip, inputs=entry_of({"prompt": "one more"}), accept=True)
    (added,) = bench.active.selection
    assert added not in record.graph
    bench.do("edit.undo")
    assert bench.active.selection.ids == (tip,)
    bench.do("edit.redo")
    assert bench.active.selection.ids == (added,)
    bench.do("select.step", step=record.graph.ids[0])
    bench.do("edit.undo")
    assert bench.active.selection.ids == (record.graph.ids[0],), "what is left stays selected"


@covers("edit.redo")
def does_again_what_was_undone(bench: Bench) -> None:
    record = opened(bench)
    a = named(record, "a")
    bench.do("canvas.move_steps", pins={a: (900.0, -50.0)})
    state = bench.active.state
    bench.do("edit.undo")
    bench.do("edit.redo")
    assert bench.active.state is state
    assert bench.session.enabled("edit.redo") is not None


@covers("edit.reset_layout")
def puts_selected_cards_back_and_then_all(bench: Bench) -> None:
    record = opened(bench)
    layout = bench.active.picture.layout
    assert layout is not None
    a, b = named(record, "a"), named(record, "b")
    homes = layout.position(a), layout.position(b)
    bench.do("canvas.move_steps", pins={a: (900.0, -50.0), b: (1200.0, -50.0)})
    bench.do("edit.reset_layout")  # a is selected
    assert bench.active.picture.layout is not None
    assert (bench.active.picture.layout.position(a), bench.active.picture.layout.position(b)) == (
        homes[0],
        (1200.0, -50.0),
    )
    bench.do("edit.reset_layout", everything=True)
    assert bench.active.picture.layout.position(b) == homes[1]
    assert bench.session.enabled("edit.reset_layout") is not None


@covers("edit.copy_id")
def copies_full_ids_in_order(bench: Bench) -> None:
    record = opened(bench, "c")
    bench.do("select.add", step=named(record, "a"))
    bench.do("edit.copy_id")
    assert bench.copied == [f"{named(record, 'a')}\n{named(record, 'c')}"]


@covers("edit.copy_json")
def copies_the_record_as_it_is_stored(bench: Bench) -> None:
    record = opened(bench)
    bench.do("edit.copy_json")
    assert json.loads(bench.copied[0]) == json.loads(record.graph.raw(0))
    bench.do("select.all")
    bench.do("edit.copy_json")
    assert len(json.loads(bench.copied[1])) == 6


@covers("edit.copy_markdown")
def copies_readable_text_whose_fences_hold(bench: Bench) -> None:
    opened(bench, None, {"fence ```": ""})
    bench.do("edit.copy_markdown", step=bench.record.graph.ids[0])
    text = bench.copied[0]
    assert "**Inputs**" in text
    assert "````json" in text
    assert bench.record.graph.ids[0] in text


@covers("edit.copy_totals")
def copies_own_and_inherited_figures(bench: Bench) -> None:
    record = opened(bench)
    bench.do("run.fork_edit", step=named(record, "c"), inputs='{"text": "other"}', accept=True)
    bench.do("edit.copy_totals")
    assert "Own: 1 step · time not recorded · cost not recorded" in bench.copied[0]
    assert "Inherited: 2 steps · 1.0 s over all steps · $0.0020" in bench.copied[0]


@covers("edit.copy_text")
def copies_what_a_panel_offers(bench: Bench) -> None:
    bench.do("edit.copy_text", text="$0.0020", what="the cost")
    assert bench.copied == ["$0.0020"]


SAID = {"inputs": {"name": "run", "arguments": {"code": 'print("a")\nprint("b")'}}, "outputs": {"result": "a\nb"}}


def said(bench: Bench) -> ValuePlace:
    """Open a run with a tool step, select it, and name its code."""
    tool = new_step(StepKind.TOOL, SAID["inputs"], (), timestamp=1.0, outputs=SAID["outputs"])
    bench.open("run.tine", msgspec.structs.replace(run_of({"a": ""}), graph=Graph.of([tool]), refs={}))
    bench.do("select.step", step=tool.id)
    return ValuePlace(tool.id, ("inputs", "arguments", "code"))


@covers("edit.copy_value")
def copies_a_text_with_real_line_ends(bench: Bench) -> None:
    place = said(bench)
    bench.do("edit.copy_value", value=place)
    bench.do("edit.copy_value")
    assert bench.copied == ['print("a")\nprint("b")', "a\nb"]


@covers("edit.copy_selected")
def copies_the_selected_text_of_a_value(bench: Bench) -> None:
    place = said(bench)
    assert bench.session.enabled("edit.copy_selected", value=place) is not None
    bench.do("edit.copy_selected", value=msgspec.structs.replace(place, selected="print"))
    assert bench.copied == ["print"]


@covers("edit.copy_path")
def copies_where_a_value_stands(bench: Bench) -> None:
    place = said(bench)
    bench.do("edit.copy_path", value=place)
    bench.do("edit.copy_path")
    assert bench.copied == ["inputs.arguments.code", "outputs.result"]
    assert bench.session.enabled("edit.copy_path", value=ValuePlace(place.step, (), ("made up",))) is not None


@covers("edit.copy_value_json")
def copies_a_value_as_json(bench: Bench) -> None:
    bench.do("edit.copy_value_json", value=said(bench))
    assert json.loads(bench.copied[0]) == 'print("a")\nprint("b")'


@covers("edit.copy_value_markdown")
def copies_a_value_as_a_block(bench: Bench) -> None:
    bench.do("edit.copy_value_markdown", value=said(bench))
    assert bench.copied == ['```\nprint("a")\nprint("b")\n```\n']


@covers("edit.open_value")
def opens_a_private_copy_in_the_editor(bench: Bench) -> None:
    seen = bench.folder / "seen"
    editor = bench.folder / "my editor"
    editor.write_text(
        f'#!/bin/sh\ncat "$1" > "{seen}.part" && stat -c %a "$1" >> "{seen}.part" && mv "{seen}.part" "{seen}"\n'
    )
    editor.chmod(0o700)
    bench.session.editors = Editors({"VISUAL": f"'{editor}'", "PATH": os.defpath})
    bench.do("edit.open_value", value=said(bench))
    (notice,) = [text for text in bench.notices("info") if "Opened a copy" in text]
    copy = Path(notice.rpartition(": ")[2])
    assert copy.suffix == ".txt"
    assert wait_for(seen.exists)
    assert seen.read_text() == 'print("a")\nprint("b")400\n'
    bench.session.close()
    assert not copy.parent.exists()


test_the_action_does_what_it_says = cases_of(__name__)
