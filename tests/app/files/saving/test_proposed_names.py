"""The name that is proposed for a run that has no file yet."""

from __future__ import annotations

import os

import msgspec

from opentine_gui.app.files.saving import suggested_name
from opentine_gui.app.state.prompts import SaveFile
from tests.app.conftest import Bench
from tests.app.files.saved_runs import TREE, forked
from tests.conftest import named, run_of


def test_a_fork_is_offered_a_free_name_beside_its_source(bench: Bench) -> None:
    forked(bench)
    (bench.folder / "run-fork.tine").touch()
    bench.do("file.save", None)
    question = bench.prompter.asked[-1]
    assert isinstance(question, SaveFile)
    assert (question.folder, question.name) == (bench.folder, "run-fork-2.tine")
    assert bench.active.dirty


def test_names_that_windows_keeps_for_devices_are_not_proposed(bench: Bench) -> None:
    bench.open("con.tine", run_of(TREE))
    assert suggested_name(bench.active, bench.folder) == "con-copy.tine"
    os.rename(bench.folder / "con.tine", bench.folder / "x.tine")
    bench.session.remove_document(bench.active)
    bench.open("x.tine")
    bench.active.path = None
    bench.active.source = None
    record = bench.record
    bench.active.state = msgspec.structs.replace(
        bench.active.state, record=msgspec.structs.replace(record, run_id="NUL")
    )
    assert suggested_name(bench.active, bench.folder) == "run-NUL.tine"


def test_a_proposed_name_keeps_letters_of_every_script(bench: Bench) -> None:
    bench.open("Pru\u0308fung 日本.tine", run_of(TREE))
    assert suggested_name(bench.active, bench.folder) == "Pr\u00fcfung 日本-copy.tine"


def test_a_proposed_name_that_is_cut_does_not_end_in_a_dot(bench: Bench) -> None:
    bench.open(f"{'a' * 59}.md then more.tine", run_of(TREE))
    assert suggested_name(bench.active, bench.folder) == f"{'a' * 59}-copy.tine"


def titled(bench: Bench, title: str, prompt: str = "") -> str:
    """The name that is proposed for a fork that was given a title."""
    record = run_of({"a": "", "b": "a"}, run_id=f"run-{len(bench.session.documents)}")
    if prompt:
        record = record.edited(metadata={**record.metadata, "user_prompt": prompt})
    bench.open(f"{record.run_id}.tine", record)
    bench.do("run.fork", step=named(record, "b"), title=title, accept=True)
    return suggested_name(bench.active, bench.folder)


def test_a_proposed_name_is_cut_between_words(bench: Bench) -> None:
    long = "can you run multiple agents reviewing the changes in the branch and also check"
    assert titled(bench, long) == "can you run multiple agents reviewing the changes in the.tine"
    assert titled(bench, f"a {'b' * 80}") == f"a {'b' * 58}.tine", "of one long word its beginning"


def test_no_secret_is_proposed_as_a_name(bench: Bench) -> None:
    key = "sk-ant-api03-Qm9vQmFyQmF6UXV4MTIzNDU2Nzg5MA"
    assert titled(bench, f"Use {key} for it") == "Use for it.tine"
    assert titled(bench, f"Use {key[:17]}…", f"Use {key} to call the service") == "Use.tine"
    assert titled(bench, "Use the key", f"Use {key} to call the service") == "Use the key.tine"
    assert titled(bench, key) == "run.tine"


def test_a_link_that_leads_nowhere_is_not_proposed_as_a_name(bench: Bench) -> None:
    forked(bench)
    (bench.folder / "run-fork.tine").symlink_to(bench.folder / "elsewhere" / "run.tine")
    assert suggested_name(bench.active, bench.folder) == "run-fork-2.tine"


def test_a_fork_that_was_given_a_title_is_called_by_it_in_its_tab_and_on_the_disk(bench: Bench) -> None:
    record = run_of({"a": "", "b": "a"})
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), title="Attempt A: without  the cache ", accept=True)
    name = suggested_name(bench.active, bench.folder)
    assert name == "Attempt A without the cache.tine"
    bench.do("file.save_as", path=bench.folder / name)
    assert bench.active.title == name
    assert bench.record.title == "Attempt A: without  the cache"


def test_a_name_with_a_dot_is_saved_as_a_run(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("file.save_as", path=bench.folder / "claude-2.1")
    assert (bench.folder / "claude-2.1.tine").exists()
    assert bench.active.title == "claude-2.1.tine"


def compared(bench: Bench, *titles: str) -> str:
    """The name that is proposed for a picture of two forks that were given titles."""
    source = run_of({"a": "", "b": "a", "c": "b"})
    opened = bench.open("run.tine", source)
    numbers = []
    for step, title in zip("bc", titles, strict=True):
        bench.session.activate(opened)
        bench.do("run.fork", step=named(source, step), title=title, accept=True)
        numbers.append(bench.active.number)
    bench.do("compare.open", a=numbers[0], b=numbers[1])
    return suggested_name(bench.active, bench.folder, ".svg")


def test_the_name_proposed_for_a_comparison_has_both_runs_in_whole_words(bench: Bench) -> None:
    long = "can you run multiple agents reviewing the changes in the branch"
    assert compared(bench, long, f"Fork of {long}") == "Compare can you run multiple and Fork of can you run.svg"


def test_runs_whose_names_begin_alike_are_told_apart_in_the_name_of_a_comparison(bench: Bench) -> None:
    long = "can you run multiple agents reviewing the changes"
    assert compared(bench, f"{long} in main", f"{long} in the branch") == (
        "Compare the changes in main and the changes in the.svg"
    )


def test_no_secret_is_proposed_as_the_name_of_a_comparison(bench: Bench) -> None:
    name = compared(bench, "Use sk-ant-api03-Qm9vQmFyQmF6UXV4MTIzNDU2Nzg5MA for it", "Use none")
    assert name == "Compare Use for it and Use none.svg"
