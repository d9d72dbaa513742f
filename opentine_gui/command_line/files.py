"""The files of a command: which runs it is given, and where its output goes. `-` is standard input or output."""

from __future__ import annotations

import argparse
import difflib
import errno
import os
import stat
import sys
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path

from opentine_gui.command_line.output import Answer, one_line
from opentine_gui.core import RunRecord, StorageError, TineError
from opentine_gui.core.errors import AmbiguousStep
from opentine_gui.core.files import storage
from opentine_gui.core.format.container import MAXIMUM_SIZE
from opentine_gui.core.format.metadata import text_of
from opentine_gui.describe.numbers import counted
from opentine_gui.importers import readers
from opentine_gui.importers.sources.parts import Part, choose, divide, part_path
from opentine_gui.scene.text.clean import clean_whole

PassedOver = Callable[[Path], frozenset[Path]]
STANDARD = Path("-")
STANDARD_INPUT = "standard input"
MOST_CANDIDATES = 12
"""Most steps that are listed for an ambiguous prefix."""
MISSING = "no such file or folder"
MOST_NAMES = 2000
"""Most names in a folder that are compared with that of a missing file."""


def split_step(argument: str) -> tuple[Path, str | None]:
    """`run.tine#ab12` as (path, step prefix); a `#` that belongs to an existing file's name stays part of it.

    `traces.json#part` names one of several runs; what is none of them is a step of the run that is read if none is
    named, as `search` prints it where there is only one.
    """
    path, step = readers.divide_step(argument)
    source, part = divide(path)
    if step is None and part and not any(one.id == part for one in _parts(source)):
        return source, part
    return path, step


def parts_of(path: Path) -> list[Part]:
    """The runs of a file that holds several of which none is named, in its order; [] for any other file.

    [] too where it cannot be read: reading it says why.
    """
    found = [] if path == STANDARD or divide(path)[1] else _parts(path)
    return found if len(found) > 1 else []


def each_run(path: Path) -> list[Path]:
    """The paths of all runs of a file: `FILE#PART` where it holds several, else the file."""
    return [part_path(path, part.id) for part in parts_of(path)] or [path]


def which_of_several(path: Path, record: RunRecord) -> str:
    """A sentence that says which run of a file with several was read where none was named; "" for any other file."""
    parts = parts_of(path)
    if not parts:
        return ""
    capture = record.metadata.get("capture")
    read_from = text_of(capture.get("path")) if isinstance(capture, dict) else ""
    named = next((part for part in parts if read_from.endswith(f"#{part.id}")), None)  # readers have rules of their own
    held = f"{path} holds {counted(len(parts), 'run')}; this is its #{(named or choose(parts, '', path)).id}"
    return f"{held}. FILE#PART names another one: `show` lists all"


def _parts(source: Path) -> list[Part]:
    """The runs of a source; [] where it cannot be read."""
    try:
        return readers.parts_of(source)
    except TineError:
        return []


def runs_in(paths: Iterable[Path], passed_over: PassedOver = lambda _folder: frozenset()) -> list[Path]:
    """The files, with the runs in place of each folder, by name. StorageError for a folder without any.

    `passed_over` says which files of a folder are skipped without being opened.
    """
    found: list[Path] = []
    for path in paths:
        if path == STANDARD or not os.path.isdir(path) or is_repository(path) or readers.is_recognised(path):
            found.append(path)
            continue
        unwanted = passed_over(path)
        inside = runs_of_folder(path, unwanted)
        if not inside and not unwanted:
            raise StorageError("there is no run in this folder", path=path)
        found += inside
    return found


def listed(paths: Sequence[Path], answer: Answer, passed_over: PassedOver = lambda _folder: frozenset()) -> list[Path]:
    """The files to work on, those of folders included; a folder without runs is an error of its own."""
    found = []
    for path in paths:
        try:
            found += runs_in([path], passed_over)
        except TineError as error:
            answer.fail(error)
    return found


def all_listed(paths: Sequence[Path], answer: Answer) -> list[Path] | None:
    """The files, including those of folders, for a command that works on all or none; None, after an error message, if
    one cannot be had."""
    try:
        return runs_in(paths)
    except TineError as error:
        answer.fail(error)
        return None


def is_repository(folder: Path) -> bool:
    """Whether a folder holds a repository of the package, which the reader refuses with its reason."""
    return os.path.exists(folder / "config.json") or os.path.exists(folder / ".tine" / "config.json")


def runs_of_folder(folder: Path, unwanted: Container[Path] = ()) -> list[Path]:
    """The runs directly in a folder, by name, without unwanted ones. StorageError when it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            names = [
                entry.name
                for entry in entries
                if readers.may_be_run(entry.name)
                and folder / entry.name not in unwanted
                and _may_be_file(entry)
                and readers.is_recognised(Path(entry.path))
            ]
    except OSError as error:
        raise StorageError("the folder cannot be read", path=folder, cause=error.strerror) from error
    return [folder / name for name in sorted(names) if not name.startswith(".")]


def _may_be_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file, or cannot be examined: reading it then says why, and the others are still listed."""
    try:
        return entry.is_file()
    except OSError:
        return True


def read_run(path: Path, read: Callable[[Path], RunRecord] = readers.read_run) -> RunRecord:
    """The run in a file, or from standard input for `-`. TineError, which names a similar file if it is missing."""
    if path == STANDARD:
        return read_standard_input(read)
    try:
        return read(path)
    except StorageError as error:
        raise with_similar_name(error, path) from error


def read_standard_input(read: Callable[[Path], RunRecord] = readers.read_run) -> RunRecord:
    """The run that is piped in. TineError if it cannot be read."""
    if sys.stdin is None or sys.stdin.isatty():
        raise StorageError("there is nothing to read: pipe a run in", path=STANDARD_INPUT)
    try:
        data = sys.stdin.buffer.read(MAXIMUM_SIZE + 1)
    except OSError as error:
        raise StorageError("it cannot be read", path=STANDARD_INPUT, cause=error.strerror) from error
    if not data:
        raise StorageError("it is empty, or was read already", path=STANDARD_INPUT)
    import tempfile

    # A file, because readers read only as much of one as they need.
    with tempfile.TemporaryDirectory(prefix="opentine-gui-") as folder:
        copy = storage.write_bytes_atomic(Path(folder) / "input", data)
        try:
            return read(copy)
        except TineError as error:
            error.path = STANDARD_INPUT
            raise


def with_similar_name(error: StorageError, path: Path) -> StorageError:
    """The error, with a question about a file of a similar name if there is no file of this one."""
    refused = why_not_there(path)
    if not refused:
        return error
    if refused is not MISSING:
        return StorageError("it cannot be looked at", path=path, cause=refused)
    if os.path.islink(path):
        return StorageError("this link leads to nothing", path=path)
    meant = similar(path.name, names_near(path))
    hint = f"; did you mean {path.with_name(meant)}?" if meant else ""
    return StorageError(f"{MISSING}{hint}", path=path)


def why_not_there(path: Path) -> str:
    """Why a file or folder cannot be used: `MISSING`, or the system's reason; "" if it is there."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return MISSING
    except OSError as error:
        return MISSING if error.errno == errno.ENAMETOOLONG else error.strerror or str(error)
    except ValueError:
        return MISSING
    return ""


def names_near(path: Path) -> list[str]:
    """Names of runs and folders in the folder in which a file was looked for."""
    try:
        with os.scandir(path.parent) as entries:
            some = [entry for _, entry in zip(range(MOST_NAMES), entries, strict=False)]
            return sorted(entry.name for entry in some if readers.may_be_run(entry.name) or entry.is_dir())
    except OSError:
        return []


def similar(typed: str, known: Iterable[str]) -> str:
    """The known word that is most like the typed one; "" if none is similar."""
    return next(iter(difflib.get_close_matches(typed, list(known), n=1, cutoff=0.6)), "")


def candidates(error: TineError, records: Sequence[RunRecord]) -> list[str]:
    """One line for each step an ambiguous prefix names: id, kind, title; none for any other error."""
    if not isinstance(error, AmbiguousStep):
        return []
    from opentine_gui.describe import step_titles

    lines = []
    for identity in error.candidates[:MOST_CANDIDATES]:
        record = next(record for record in records if identity in record.graph)
        step = record.graph.step(record.graph.index(identity))
        short = one_line(identity.rpartition(":")[2][:20])
        lines.append(f"{short}  {one_line(step.shown_kind, 20):<8}  {step_titles.title(step)}")
    left = len(error.candidates) - MOST_CANDIDATES
    return [*lines, f"… and {left:,} more"] if left > 0 else lines


def read_all(paths: Sequence[Path], answer: Answer) -> list[RunRecord] | None:
    """Read all files; None, after an error message for each unreadable file, if there is any."""
    records = []
    for path in paths:
        try:
            records.append(read_run(path))
            if said := which_of_several(path, records[-1]):
                answer.warn(said)
        except TineError as error:
            answer.fail(error)
    return records if len(records) == len(paths) else None


def refuse_output(options: argparse.Namespace, sources: Sequence[Path], answer: Answer) -> None:
    """StorageError when the output is one of the sources, by whatever name, or exists and may not be replaced.

    Warns of hard links: `--force` replaces one name of the file, and the others keep what it held.
    """
    output: Path = options.output
    if output == STANDARD:
        if options.json:
            raise StorageError("--json and -o - both want standard output; write the file, or leave --json out")
        return
    for source in sources:
        if (
            source != STANDARD
            and os.path.exists(output)
            and os.path.exists(source)
            and os.path.samefile(output, source)
        ):
            raise StorageError("this is the source, which is never overwritten; choose another name", path=output)
    try:
        status = output.stat()
    except (OSError, ValueError):
        return  # the error comes when it is written
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "something that is not a regular file"
        raise StorageError(f"this is {what}; name the file to be written", path=output)
    if not options.force:
        raise StorageError("this file exists; --force replaces it", path=output)
    if status.st_nlink > 1 and os.name != "nt":
        names = counted(status.st_nlink - 1, "other name")
        answer.warn(f"{output} had {names} (hard links), under which the old content stays")


def write_standard_output(data: bytes) -> None:
    """Write data to standard output, cleaned for a terminal. StorageError if a terminal would get something that is not
    text."""
    if sys.stdout.isatty():
        try:
            text = "" if b"\0" in data else data.decode()
        except UnicodeDecodeError:
            text = ""
        if not text:
            raise StorageError("this is not text, so a terminal cannot show it; send it to a file or a program")
        print(clean_whole(text, lines=True))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
