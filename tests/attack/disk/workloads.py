"""What is attacked on the disk: saves, a session's save, its safety copies, its settings, a renaming."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from opentine_gui.app.files.recovery.crash_recovery import COPY_AFTER
from opentine_gui.app.state.settings import Settings, data_folder, load_settings, save_settings
from opentine_gui.app.system.write_run import write_run
from opentine_gui.core import RunRecord, TineError, encode, read, verify
from opentine_gui.core.files.atomic_write import move_file
from opentine_gui.core.format.container import wrap
from tests.app.conftest import Bench
from tests.conftest import run_of

SAVED, FAILED = "saved", "failed: "
_LONG = "a step with a text of some length, so that a file takes several writes " * 40


def _run(steps: int, title: str) -> RunRecord:
    record = run_of({f"{number} {_LONG}": f"{number - 1} {_LONG}" if number else "" for number in range(steps)})
    return msgspec.structs.replace(record, metadata={**record.metadata, "title": title})


OLD, NEW = _run(30, "old"), _run(33, "new")
OLD_BYTES, NEW_BYTES = encode(OLD), encode(NEW)


class Workload(NamedTuple):
    """A piece of work on files in a folder.

    `ready` is called in the child that will be watched, in an empty folder, and returns the work, which says how it
    went. `check` is called afterwards, in the parent, with what was said (None if it was killed); it returns what is
    wrong, or "".
    """

    name: str
    ready: Callable[[Path], Callable[[], str]]
    check: Callable[[Path, str | None], str]


def at_home(folder: Path) -> None:
    """Make a folder the home of this process, so that settings, locks and safety copies lie in it."""
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = str(folder / name.lower())
    for name in ("OPENTINE_RUNS_DIR", "TINE_RUNS_DIR"):
        os.environ.pop(name, None)


def _no_progress(_fraction: float) -> None:
    """Nobody looks."""


def _never() -> bool:
    return False


def _save(path: Path, record: RunRecord, replaces: str | None) -> str:
    try:
        write_run(record, path, _no_progress, _never, None, replaces)
    except TineError as error:
        return f"{FAILED}{error}"
    return SAVED


def _left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".tmp"))


def _content_check(folder: Path, said: str | None, old: bytes | None, new: bytes) -> str:
    """The file is the old one or the new one, whole; what was said of it is true; the next save works and tidies."""
    path = folder / "run.tine"
    data = path.read_bytes() if path.exists() else None
    if data not in (old, new):
        return f"torn: {len(data or b''):,} bytes, of {len(old or b''):,} before and {len(new):,} after"
    wrong = _wrong_word(said, saved=data == new)
    if wrong:
        return wrong
    at_home(folder / "home")
    again = _save(path, NEW, hashlib.sha256(data).hexdigest() if data is not None else None)
    if again != SAVED:
        return f"the next save {again}"
    if not verify(path).ok:
        return "the next save does not verify"
    return f"left over: {_left_over(folder)}" if _left_over(folder) else ""


def _wrong_word(said: str | None, *, saved: bool) -> str:
    if said is None:
        return ""
    if said == SAVED:
        return "" if saved else "said to be saved, and was not"
    if said.startswith(FAILED):
        return "said to have failed, and was saved" if saved else ""
    return said


def _saving(form: str, old: RunRecord | None) -> Workload:
    def stored(record: RunRecord) -> bytes:
        return encode(record) if form == "plain" else wrap(encode(record), "zlib")

    before = stored(old) if old is not None else None

    def ready(folder: Path) -> Callable[[], str]:
        at_home(folder / "home")
        path = folder / "run.tine"
        if before is not None:
            path.write_bytes(before)
        known = hashlib.sha256(before).hexdigest() if before is not None else None
        record = msgspec.structs.replace(NEW, source=read(path).source) if before is not None else NEW
        return lambda: _save(path, record, known)

    def check(folder: Path, said: str | None) -> str:
        return _content_check(folder, said, before, stored(NEW))

    return Workload(f"save, {form}" if old is not None else "save a new file", ready, check)


# --- through a session -----------------------------------------------------------------------------------------------


def _opened(folder: Path) -> Bench:
    at_home(folder / "home")
    bench = Bench(folder)
    (folder / "run.tine").write_bytes(OLD_BYTES)
    bench.open("run.tine")
    return bench


def _edit(bench: Bench, title: str) -> None:
    bench.do("run.edit_details", title=title, accept=True)
    assert bench.active.dirty


def _session_save() -> Workload:
    def ready(folder: Path) -> Callable[[], str]:
        bench = _opened(folder)
        _edit(bench, "new")

        def work() -> str:
            bench.do("file.save")
            texts = [notice.text for notice in bench.session.notices.list()]
            saved = any(text.startswith("Saved ") for text in texts)
            failed = [text for text in texts if "was not saved" in text]
            if saved and not failed and not bench.active.dirty:
                return SAVED
            if failed and not saved and bench.active.dirty:
                return f"{FAILED}{failed[0]}"
            return json.dumps(["neither saved nor failed", bench.active.dirty, texts])

        return work

    def check(folder: Path, said: str | None) -> str:
        path = folder / "run.tine"
        data = path.read_bytes()
        title = read(path).metadata.get("title")
        if data != OLD_BYTES and (title != "new" or not verify(path).ok):
            return f"torn: {len(data):,} bytes"
        return _wrong_word(said, saved=title == "new")

    return Workload("save in a session", ready, check)


def _journal(edits: int) -> Workload:
    """The safety copy of an edit, the first one or one that replaces another."""

    def pass_time(bench: Bench) -> None:
        bench.clock.now += COPY_AFTER
        bench.session.settle()
        bench.clock.now += COPY_AFTER
        bench.session.settle()

    def ready(folder: Path) -> Callable[[], str]:
        bench = _opened(folder)
        for number in range(1, edits):
            _edit(bench, f"edit {number}")
            pass_time(bench)
        _edit(bench, f"edit {edits}")

        def work() -> str:
            pass_time(bench)
            failed = bench.notices("warning") + bench.notices("error")
            return f"{FAILED}{failed[0]}" if failed else SAVED

        return work

    def check(folder: Path, said: str | None) -> str:
        if (folder / "run.tine").read_bytes() != OLD_BYTES:
            return "the file itself was changed"
        found = _recovered(folder)
        titles = [f"edit {number}" for number in (edits - 1, edits) if number] + ([] if edits > 1 else [None])
        if said == SAVED:
            titles = [f"edit {edits}"]
        if said is not None and not said.startswith((SAVED, FAILED)):
            return said
        return "" if found[0] in titles and (found[0] is None or found[1:] == found[2:] + found[1:2]) else str(found)

    return Workload(f"journal of edit {edits}", ready, check)


def _recovered(folder: Path) -> tuple[object, ...]:
    """(title, the file it belongs to, the file expected) of what a new session offers; (None,) if it offers nothing."""
    at_home(folder / "home")
    bench = Bench(folder)
    try:
        bench.session.settle()
        offers = [notice for notice in bench.session.notices.list() if notice.text.startswith("Recovered")]
        if not offers:
            left = [path.name for path in (data_folder() / "recovery").rglob("*.tine")]
            return (None,) if not left else ("not offered", left)
        key = offers[0].actions[0][2]["key"]
        bench.do("file.recover", key=key)
        errors = bench.notices("error")
        if errors:
            return ("error", *errors)
        return (bench.record.metadata.get("title"), bench.active.path, folder / "run.tine")
    finally:
        bench.session.close()


# --- other files -----------------------------------------------------------------------------------------------------


def _settings() -> Workload:
    before = Settings(window_width=1001)
    after = Settings(window_width=1002, recent=[f"/a/{number}.tine" for number in range(20)])

    def ready(folder: Path) -> Callable[[], str]:
        at_home(folder / "home")
        save_settings(before)

        def work() -> str:
            try:
                save_settings(after)
            except (TineError, OSError) as error:
                return f"{FAILED}{error}"
            return SAVED

        return work

    def check(folder: Path, said: str | None) -> str:
        at_home(folder / "home")
        width = load_settings().window_width
        return _wrong_word(said, saved=width == 1002) if width in (1001, 1002) else f"settings are lost: {width}"

    return Workload("write the settings", ready, check)


def _moving() -> Workload:
    def ready(folder: Path) -> Callable[[], str]:
        (folder / "run.tine").write_bytes(OLD_BYTES)

        def work() -> str:
            try:
                move_file(folder / "run.tine", folder / "moved.tine")
            except TineError as error:
                return f"{FAILED}{error}"
            return SAVED

        return work

    def check(folder: Path, said: str | None) -> str:
        places = [path for path in (folder / "run.tine", folder / "moved.tine") if path.exists()]
        if not places or any(path.read_bytes() != OLD_BYTES for path in places):
            return f"lost: {[path.name for path in places]}"
        return _wrong_word(said, saved=(folder / "moved.tine").exists())

    return Workload("rename a run", ready, check)


WORKLOADS = (
    _saving("plain", OLD),
    _saving("zlib", OLD),
    _saving("plain", None),
    _session_save(),
    _journal(1),
    _journal(2),
    _settings(),
    _moving(),
)
