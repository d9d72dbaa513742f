"""On Linux a name is bytes: one that is not UTF-8 is listed, searched, saved and remembered like any other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from opentine_gui.app.state.settings import load_settings
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "a"}


def name(text: bytes) -> str:
    return os.fsdecode(text)


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_session_in_a_folder_of_such_names_ends_without_a_complaint(tmp_path: Path) -> None:
    folder = tmp_path / name(b"d\xff\xfe")
    folder.mkdir()
    bench = Bench(folder)
    record = run_of(TREE)
    bench.write(name(b"other-\xe9.tine"), run_of({"zebra": ""}, run_id="o"))
    bench.open(name(b"run-\xff.tine"), record)
    bench.do("file.open_folder", path=folder)
    assert len(bench.session.runs.rows) == 2
    bench.do("search.open")
    bench.do("search.ask", text="zebra", scope="folder")
    bench.session.settle()
    assert sum(run.steps for run in bench.session.search.runs) == 1
    bench.do("canvas.move_steps", pins={named(record, "c"): (400.0, 400.0)})
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.do("file.save")
    for action, made in (("file.save_copy", b"copy-\xff.tine"), ("file.export", b"\xfe.svg")):
        bench.do(action, (folder / name(made),))
    bench.do("run.fork", step=named(record, "b"), accept=True)
    bench.do("file.save", (folder / name(b"fork-\xfe.tine"),))
    bench.do("runs.copy_path")
    bench.copied[-1].encode()
    bench.session.close()
    assert bench.notices("error") == bench.notices("warning") == []
    assert len(storage.read(folder / name(b"copy-\xff.tine")).graph) == 4
    assert load_settings().recent[0] == str(folder / name(b"fork-\xfe.tine"))
    assert load_settings().last_folder == str(folder)
