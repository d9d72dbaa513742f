"""Tabs, the list of runs, notices and help."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from opentine_gui.app.folder.demo_runs import DEMO
from opentine_gui.app.folder.run_order import ORDERS
from opentine_gui.app.system.desktop.editor import Editors
from tests.app.actions.conftest import TREE, cases_of, covers, opened, wait_for
from tests.app.conftest import Bench
from tests.conftest import run_of


@covers("help.demo")
def opens_copies_of_the_demo_runs_and_leaves_those_that_are_there(bench: Bench) -> None:
    bench.do("help.demo")
    path = bench.active.path
    assert path is not None and path.name == DEMO[0]
    assert (path.parent / DEMO[1]).is_file()
    (path.parent / DEMO[1]).write_bytes(b"edited by hand")
    bench.do("file.close")
    bench.do("help.demo")
    assert bench.active.path == path
    assert (path.parent / DEMO[1]).read_bytes() == b"edited by hand"
    bench.do("file.open_folder", path=bench.folder)
    bench.do("help.demo")
    assert bench.session.runs.folder == path.parent
    assert bench.folder in bench.session.runs.around, "the list leads back to the folder that was open"


@covers("document.close_others")
def closes_every_tab_but_the_one_pointed_at_and_asks_about_unsaved_work(bench: Bench) -> None:
    opened(bench)
    first = bench.active
    bench.do("run.fork", accept=True)
    bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("document.close_others", "Cancel", document=first.number)
    assert bench.session.documents[0] is first
    assert len(bench.session.documents) >= 2, "cancelling keeps the unsaved one"
    bench.do("document.close_others", "Don't save", document=first.number)
    assert bench.session.documents == [first]
    assert bench.session.enabled("document.close_others") == "No other tab is open."


@covers("runs.copy_path")
def copies_the_path_of_a_run_without_opening_it(bench: Bench) -> None:
    opened(bench)
    other = bench.write("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("runs.copy_path", run=other)
    assert bench.copied[-1] == str(other)
    bench.do("runs.copy_path", document=bench.active.number)
    assert bench.copied[-1] == str(bench.active.path)
    assert len(bench.session.documents) == 1


@covers("runs.open")
def opens_a_run_of_the_list(bench: Bench) -> None:
    opened(bench)
    first = bench.active
    bench.do("runs.open", run=bench.write("two.tine", run_of({"a": ""}, run_id="two")))
    assert bench.active.title == "two.tine"
    bench.do("runs.open", run=first.number)
    assert bench.active is first


@covers("runs.compare")
def compares_a_run_of_the_list_with_the_one_in_front(bench: Bench) -> None:
    record = opened(bench)
    other = bench.write("two.tine", run_of({**TREE, "g": "f"}, run_id="two"))
    assert bench.session.enabled("runs.compare", run=bench.active.number) == "This is the run in front."
    bench.do("runs.compare", run=other)
    assert bench.active.members is not None and bench.active.members.comparing
    assert bench.active.members.members[0].title == "run"
    assert len(bench.record.graph) == len(record.graph) + 1
    assert bench.session.enabled("runs.compare", run=other) is not None


@covers("runs.show_folder")
def shows_the_file_in_its_folder(bench: Bench) -> None:
    seen = bench.folder / "seen"
    program = bench.folder / "xdg-open"
    program.write_text(f'#!/bin/sh\necho "$1" > "{seen}.part" && mv "{seen}.part" "{seen}"\n')
    program.chmod(0o700)
    opened(bench)
    bench.session.editors = Editors({"PATH": f"{bench.folder}:{os.defpath}"})
    bench.do("runs.show_folder")
    assert wait_for(seen.exists)
    assert seen.read_text().strip() == str(bench.folder)


def test_a_program_that_cannot_show_the_folder_is_reported(bench: Bench) -> None:
    program = bench.folder / "xdg-open"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o700)
    opened(bench)
    bench.session.editors = Editors({"PATH": f"{bench.folder}:{os.defpath}"})
    bench.do("runs.show_folder")
    bench.session.settle()
    (said,) = bench.notices("error")
    assert said == (
        f"The folder cannot be shown: xdg-open ended with exit code 3. The file is {bench.folder / 'run.tine'}"
    )


@covers("runs.sort")
def gives_the_list_of_runs_another_order_which_is_remembered(bench: Bench) -> None:
    bench.do("runs.sort", by="name")
    assert bench.session.settings.runs_order == "name"
    choices = bench.session.actions["runs.sort"].choices
    assert choices is not None
    assert [choice.label for choice in choices(bench.session) if choice.here] == ["Name"]
    seen = []
    for _ in ORDERS:
        bench.do("runs.sort")
        seen.append(bench.session.settings.runs_order)
    assert seen[-1] == "name", "pressed again and again it goes through all"
    assert set(seen) == set(ORDERS)


@covers("runs.rename")
def renames_the_file_and_the_open_run_follows(bench: Bench) -> None:
    opened(bench)
    document, old = bench.active, bench.folder / "run.tine"
    content = old.read_bytes()
    bench.do("runs.rename", " better ", run=document.number)
    new = bench.folder / "better.tine"
    assert (document.path, document.title, document.dirty) == (new, "better.tine", False)
    assert new.read_bytes() == content
    assert not old.exists()
    assert bench.session.settings.recent[0] == str(new)
    assert [row.path for row in bench.session.runs.rows] == [new]


@covers("runs.move")
def moves_the_file_to_another_folder(bench: Bench) -> None:
    opened(bench)
    (bench.folder / "old").mkdir()
    bench.do("runs.move", (bench.folder / "old",), run=bench.folder / "run.tine")
    assert bench.active.path == bench.folder / "old" / "run.tine"
    assert bench.active.path.exists()
    assert bench.session.runs.rows == ()


@covers("runs.put_back")
def brings_a_file_back_from_the_trash_and_opens_it_again(bench: Bench) -> None:
    opened(bench)
    path = bench.folder / "run.tine"
    content = path.read_bytes()
    bench.do("runs.trash", "Move to trash")
    label, action, arguments = next(notice for notice in bench.session.notices.list() if notice.key == "moved").actions[
        0
    ]
    assert (label, bench.session.documents) == ("Undo", [])
    bench.do(action, **arguments)
    assert path.read_bytes() == content
    assert bench.active.path == path
    assert not (bench.folder / "run.tine.trashed").exists()


@covers("runs.trash")
def sends_the_file_to_the_trash_when_told_twice(bench: Bench) -> None:
    opened(bench)
    path = bench.folder / "run.tine"
    content = path.read_bytes()
    bench.do("runs.trash", None)
    assert path.exists()
    bench.do("runs.trash", "Move to trash", run=path)
    assert not path.exists()
    assert (bench.folder / "run.tine.trashed").read_bytes() == content
    assert bench.session.documents == []
    assert bench.session.runs.rows == ()
    assert str(path) not in bench.session.settings.recent


@covers("document.activate")
def brings_a_tab_to_the_front(bench: Bench) -> None:
    opened(bench)
    first = bench.active
    bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("document.activate", document=first.number)
    assert bench.active is first


@covers("document.next")
def goes_round_the_tabs(bench: Bench) -> None:
    opened(bench)
    first = bench.active
    assert bench.session.enabled("document.next") is not None
    second = bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("document.next")
    assert bench.active is first
    bench.do("document.next")
    assert bench.active is second


@covers("document.previous")
def goes_round_the_tabs_backwards(bench: Bench) -> None:
    opened(bench)
    first = bench.active
    bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("document.previous")
    assert bench.active is first


@covers("runs.filter")
def shows_only_fitting_runs(bench: Bench) -> None:
    opened(bench)
    bench.do("runs.filter", text="status:failed")
    assert bench.session.runs.shown() == ()
    bench.do("runs.filter", text="status:completed model:example")
    assert [row.title for row in bench.session.runs.shown()] == ["run"]


@covers("notice.dismiss")
def takes_a_notice_away(bench: Bench) -> None:
    notice = bench.session.notices.add("info", "Look")
    bench.do("notice.dismiss", key=notice.key)
    assert bench.notices() == []


@covers("job.cancel")
def stops_opening_a_file(bench: Bench) -> None:
    path = bench.write("run.tine", run_of(TREE))
    bench.jobs.hold = True
    bench.session.invoke("file.open", path=path)
    bench.step()
    assert bench.active.loading is not None
    bench.session.invoke("job.cancel", key=bench.active.key("open"))
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.session.documents == []


@covers("help.keys")
def shows_the_keys(bench: Bench) -> None:
    bench.do("help.keys")
    assert bench.session.view.keys
    bench.do("view.dismiss")
    assert not bench.session.view.keys


@covers("help.about")
def shows_what_this_is(bench: Bench) -> None:
    bench.do("help.about")
    assert bench.session.view.about


@covers("help.change_keys")
def opens_the_file_of_the_keys(bench: Bench) -> None:
    seen = bench.folder / "seen"
    editor = bench.folder / "editor"
    editor.write_text(f'#!/bin/sh\necho "$1" > "{seen}.part" && mv "{seen}.part" "{seen}"\n')
    editor.chmod(0o700)
    bench.session.editors = Editors({"VISUAL": str(editor), "PATH": os.defpath})
    bench.do("help.change_keys")
    assert wait_for(seen.exists)
    path = Path(seen.read_text().strip())
    assert msgspec.json.decode(path.read_bytes())["delivered"]["edit.undo"] == ["Ctrl+Z"]
    path.write_text('{"changed": {"edit.undo": ["F9"]}}')
    bench.do("help.change_keys")
    assert path.read_text() == '{"changed": {"edit.undo": ["F9"]}}', "what the user wrote stays"


test_the_action_does_what_it_says = cases_of(__name__)
