"""Work that was opened again after a crash: whose copy it is, and until when that is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui.app.files.recovery.crash_recovery import COPY_AFTER
from opentine_gui.app.inspect import integrity
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.app.files.recovery.crashes import TREE, copies, crashed, fork_and_wait, leave_behind, offer
from tests.conftest import named, run_of


@pytest.mark.parametrize("of_a_file", [True, False], ids=["edits of a file", "a fork"])
def test_recovered_work_is_not_called_verified_until_it_is_saved(
    second_bench: Callable[[], Bench], of_a_file: bool
) -> None:
    first = second_bench()
    if of_a_file:
        record = run_of(TREE)
        first.open("run.tine", record)
        first.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
        first.clock.now += COPY_AFTER
        first.session.settle()
    else:
        fork_and_wait(first)
    crashed(first)
    second = second_bench()
    _, actions = offer(second)
    second.do("file.recover", key=actions["Open"]["key"])
    words, colour, hint = integrity.verdict(second.active)
    assert (words, colour) == ("Not saved; its safety copy verified", "quiet")
    assert "safety copy" in hint
    second.do("file.save_as", path=second.folder / "saved.tine")
    assert integrity.verdict(second.active)[0] == "Verified"


def test_the_copy_of_an_edit_is_begun_within_a_tenth_of_a_second(second_bench: Callable[[], Bench]) -> None:
    bench = second_bench()
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.session.settle()
    assert not copies(), "the edits of one press make one copy"
    bench.clock.now += 0.1
    bench.session.settle()
    assert len(copies()) == 1


def test_recovered_edits_of_a_file_belong_to_that_file_again(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    record = run_of(TREE)
    first.open("run.tine", record)
    first.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    first.clock.now += COPY_AFTER
    first.session.settle()
    crashed(first)
    second = second_bench()
    _, actions = offer(second)
    second.do("file.recover", key=actions["Open"]["key"])
    assert second.active.path == second.folder / "run.tine"
    assert second.active.dirty
    second.do("file.save")
    assert len(storage.read(second.folder / "run.tine").graph) == 4


def recovered(second_bench: Callable[[], Bench]) -> tuple[Bench, Path, str]:
    """(a second session that opened what the first left, the old copy, the key of the offer)."""
    first = second_bench()
    fork_and_wait(first)
    crashed(first)
    (old,) = copies()
    second = second_bench()
    _, actions = offer(second)
    key = str(actions["Open"]["key"])
    second.do("file.recover", key=key)
    return second, old, key


def test_recovered_work_keeps_its_old_copy_until_a_new_one_stands(second_bench: Callable[[], Bench]) -> None:
    second, old, _ = recovered(second_bench)
    assert copies() == [old]
    second.clock.now += COPY_AFTER
    second.session.settle()
    (new,) = copies()
    assert new.parent != old.parent
    assert not old.parent.exists()


def test_a_second_press_on_open_keeps_the_work_from_other_windows(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    fork_and_wait(first)
    crashed(first)
    second, third = second_bench(), second_bench()
    key, other_key = (str(offer(bench)[1]["Open"]["key"]) for bench in (second, third))
    second.jobs.hold = True
    for _ in range(2):
        second.session.invoke("file.recover", key=key)
        second.step()
    assert second.notices("info") == []
    third.do("file.discard_recovered", "Discard", key=other_key)
    assert len(copies()) == 1
    assert "Another window" in third.notices("info")[0]
    second.jobs.hold = False
    second.jobs.release()
    second.session.settle()
    assert len(second.session.documents) == 1


def test_recovered_work_is_offered_again_after_a_second_crash_at_once(second_bench: Callable[[], Bench]) -> None:
    second, old, key = recovered(second_bench)
    for lock in second.session.recovery._held[key]:
        lock.release(force=True)
    third = second_bench()
    text, _ = offer(third)
    assert text == "Recovered unsaved work: Precious"
    assert copies() == [old]


@pytest.mark.parametrize("end", ["save", "close"])
def test_the_old_copy_goes_when_recovered_work_is_saved_or_closed(second_bench: Callable[[], Bench], end: str) -> None:
    second, old, _ = recovered(second_bench)
    if end == "save":
        second.do("file.save_as", path=second.folder / "kept.tine")
    else:
        second.do("file.close", "Don't save")
    assert copies() == []
    assert not old.parent.exists()


def test_a_new_copy_that_fails_leaves_the_old_one(
    second_bench: Callable[[], Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    second, old, _ = recovered(second_bench)

    def full(*_args: object, **_kwargs: object) -> Path:
        raise storage.StorageError("the file cannot be written", cause="No space left")

    monkeypatch.setattr(storage, "write", full)
    second.clock.now += COPY_AFTER
    second.session.settle()
    assert copies() == [old]


def test_opening_or_discarding_recovered_work_again_changes_nothing(second_bench: Callable[[], Bench]) -> None:
    second, old, key = recovered(second_bench)
    second.do("file.recover", key=key)
    second.do("file.discard_recovered", "Discard", key=key)
    assert len(second.session.documents) == 1
    assert copies() == [old]


def test_recovered_edits_do_not_replace_what_somebody_wrote_meanwhile(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    record = run_of(TREE)
    first.open("run.tine", record)
    first.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    first.clock.now += COPY_AFTER
    first.session.settle()
    crashed(first)
    theirs = run_of({"theirs": ""})
    first.write("run.tine", theirs)
    second = second_bench()
    _text, actions = offer(second)
    second.do("file.recover", key=actions["Open"]["key"])
    second.do("file.save", "Cancel")
    assert second.prompter.asked[0].title == "Overwrite run.tine?"
    assert storage.read(second.folder / "run.tine").graph.ids == theirs.graph.ids


def test_two_windows_do_not_open_the_same_lost_work(second_bench: Callable[[], Bench]) -> None:
    leave_behind("0" * 32, "Precious")
    first, second = second_bench(), second_bench()
    (_, actions), _ = offer(first), offer(second)
    key = actions["Open"]["key"]
    first.do("file.recover", key=key)
    second.do("file.recover", key=key)
    second.do("file.discard_recovered", "Discard", key=key)
    assert len(first.session.documents) == 1 and second.session.documents == []
    assert len(copies()) == 1


def test_recovered_work_whose_reading_was_stopped_can_be_opened_all_the_same(
    second_bench: Callable[[], Bench],
) -> None:
    first = second_bench()
    fork_and_wait(first)
    crashed(first)
    second = second_bench()
    _, actions = offer(second)
    key = actions["Open"]["key"]
    second.jobs.hold = True
    second.session.invoke("file.recover", key=key)
    second.step()
    second.jobs.stop(f"recover:open:{key}")
    second.jobs.hold = False
    second.do("file.recover", key=key)
    assert second.active.title == "Precious"
