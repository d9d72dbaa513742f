"""Writes a file so that a reader finds the old content or the new, and nobody else's content is lost.

The new content goes to a temporary file beside the target and is flushed to disk; then the two exchange their names, in
one step where the system can. What came out under the temporary name is looked at before it is deleted: if it is not
what the caller meant to replace, it gets its name back.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import platform
import re
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from opentine_gui.core.errors import FileChanged, StorageError, shown

NEW_FILE_MODE = 0o600
_AT_FDCWD = -100
_NO_REPLACE, _EXCHANGE = 1, 2
"""Flags of Linux's renameat2."""
_SWAP, _EXCLUSIVE = 2, 4
"""Flags of macOS's renamex_np."""
_NOT_SUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
_COPIED_AT_ONCE = 1 << 20
LONGEST_WAIT_FOR_WRITERS = 1.0
"""Seconds that a program still writing the old file is given to finish."""
_BETWEEN_LOOKS = 0.02
_NAME_BYTES = 80
"""Bytes of the target's name that a temporary name keeps: names have at most 255."""


def write_pieces_atomic(
    path: str | Path,
    pieces: Iterable[bytes],
    *,
    overwrite: bool = True,
    mode: int | None = NEW_FILE_MODE,
    make_folders: bool = False,
    replaces: str | None = None,
    check: Callable[[Path], None] | None = None,
) -> Path:
    """Write pieces as the new content of a file; returns the path of the file written.

    A new file gets `mode`, with None what the user's umask gives; an existing one keeps its own, and its owner and
    extended attributes where the system allows it. A symbolic link is followed: the file it names is replaced and the
    link stays (the package replaces the link).
    Without `overwrite` an existing file is an error; so is a missing folder unless `make_folders`.

    `replaces` is the SHA-256, in hex, of the content that may be replaced; FileChanged if the file has another, now or
    at the moment of the exchange. `check` is called with the complete temporary file; if it raises, the old file stays.
    StorageError.
    """
    given: object = path
    if not isinstance(given, str | os.PathLike):
        raise StorageError(f"{shown(given)} is not the name of a file")
    try:
        target = Path(os.path.realpath(path))
        if make_folders:
            target.parent.mkdir(parents=True, exist_ok=True)
        status = _existing(target)
        if status is None and os.path.lexists(path) and os.path.islink(path):
            raise StorageError("this is a link to a file that does not exist", path=path)
        if status is None and not os.path.isdir(target.parent):
            raise StorageError("its folder does not exist", path=path)
    except (OSError, ValueError, TypeError) as error:
        raise StorageError("the file cannot be written", path=path, cause=getattr(error, "strerror", error)) from error
    if status is not None:
        if not stat.S_ISREG(status.st_mode):
            raise StorageError("there is something here that is not a regular file", path=path)
        if not overwrite:
            raise StorageError("the file exists already and was not overwritten", path=path)
        mode = stat.S_IMODE(status.st_mode)
    temporary = None
    try:
        stem = _stem(target)
        _remove_left_behind(target.parent, stem)
        begun = 0o666 if mode is None else NEW_FILE_MODE
        descriptor, temporary = _new_file(target.parent / f"{stem}{_owner()}", begun)
        with open(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            if status is not None:
                _keep_owner_and_attributes(target, status, file.fileno())
            os.fchmod(file.fileno(), mode) if mode is not None and hasattr(os, "fchmod") else None
            os.fsync(file.fileno())
        if check is not None:
            check(Path(temporary))
        if not overwrite:
            _place_new(temporary, target, path)
        elif replaces is None:
            os.replace(temporary, target)
        else:
            _replace_known(temporary, target, replaces, path)
        temporary = None
        _sync_directory(target.parent)
    except OSError as error:
        raise StorageError("the file cannot be written", path=path, cause=error.strerror) from error
    finally:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
    return target


def _existing(target: Path) -> os.stat_result | None:
    try:
        return os.stat(target)
    except FileNotFoundError:
        return None


# --- names of temporary files ----------------------------------------------------------------------------------------


def _stem(target: Path) -> str:
    """The beginning of the names of the target's temporary files."""
    return f".{os.fsdecode(os.fsencode(target.name)[:_NAME_BYTES])}."


def _new_file(beginning: Path, mode: int) -> tuple[int, str]:
    """(descriptor, path) of a new file; it gets `mode` without what the umask forbids."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while True:
        path = f"{beginning}.{os.urandom(6).hex()}.tmp"
        with suppress(FileExistsError):
            return os.open(path, flags, mode), path


@cache
def _host() -> str:
    """This machine, in eight hex digits: a process number means nothing on another one that shares the folder."""
    return hashlib.sha256(platform.node().encode(errors="replace")).hexdigest()[:8]


def _owner() -> str:
    return f"{_host()}-{os.getpid()}"


def _remove_left_behind(folder: Path, stem: str) -> None:
    """Delete temporary files of this target whose writer, a process of this machine, has ended."""
    if os.name == "nt":  # os.kill would end the process that it asks about
        return
    name = re.compile(rf"{re.escape(stem)}{_host()}-(\d+)\.\w+\.tmp")
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = name.fullmatch(entry.name)
            if found and not _is_alive(int(found[1])):
                with suppress(OSError):
                    os.unlink(entry.path)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def move_file(source: Path, target: Path) -> None:
    """Give a file another name or folder, and never replace another one. StorageError.

    Where case does not count, its own name in other case is no other file's.
    To another file system it is copied, and removed when the copy is whole.
    """
    if os.path.islink(source):
        raise StorageError("this is a link: rename or move the file it leads to", path=source)
    try:
        if is_in_other_case(source, target):
            os.rename(source, target)
        elif not _rename(source, target, _NO_REPLACE, _EXCLUSIVE):
            os.link(source, target)
            os.unlink(source)
    except FileExistsError as error:
        raise StorageError("there is a file of this name already", path=target) from error
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise StorageError("the file could not be moved", path=source, cause=error) from error
        _copy_over(source, target)
    _sync_directory(target.parent)
    if source.parent != target.parent:
        _sync_directory(source.parent)


def is_in_other_case(source: str | Path, target: str | Path) -> bool:
    """Whether the target is the source itself, which a system finds by its name in other case, too."""
    one, other = Path(source), Path(target)
    if one.parent != other.parent or one.name == other.name or one.name.casefold() != other.name.casefold():
        return False
    try:
        if not os.path.samestat(os.lstat(one), os.lstat(other)):
            return False
        names = os.listdir(one.parent)
    except OSError:
        return False
    return not (one.name in names and other.name in names)  # two names of one file, where case counts


def _copy_over(source: Path, target: Path) -> None:
    try:
        with source.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            write_pieces_atomic(target, iter(lambda: file.read(_COPIED_AT_ONCE), b""), overwrite=False, mode=mode)
        os.unlink(source)
    except OSError as error:
        raise StorageError("the file could not be moved", path=source, cause=error) from error


# --- the exchange ----------------------------------------------------------------------------------------------------


def _place_new(temporary: str, target: Path, path: str | Path) -> None:
    """Rename without overwriting. StorageError if the name is taken."""
    try:
        if _rename(temporary, target, _NO_REPLACE, _EXCLUSIVE):
            return
        try:
            os.link(temporary, target)
        except FileExistsError:
            raise
        except OSError:  # no hard links here either: take the name with an empty file, then replace that
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            try:
                os.replace(temporary, target)
            except OSError:
                if not os.path.getsize(target):
                    os.unlink(target)
                raise
            return
    except FileExistsError as error:
        raise StorageError("the file exists already and was not overwritten", path=path) from error
    with suppress(OSError):  # the file is written: a second name of it is no failure
        os.unlink(temporary)


def _replace_known(temporary: str, target: Path, replaces: str, path: str | Path) -> None:
    """Replace the target, whose content has the SHA-256 `replaces`. FileChanged if it has another, or gets one."""
    found = _digest(target)
    if found is None:
        try:
            _place_new(temporary, target, path)
        except StorageError as error:
            raise FileChanged(found=_digest(target) or "", path=path) from error
        return
    if found != replaces:
        raise FileChanged(found=found, path=path)
    ours = os.stat(temporary).st_ino
    if not _rename(temporary, target, _EXCHANGE, _SWAP):
        os.replace(temporary, target)
        return
    unreadable: Exception | None = None
    try:
        if _is_being_written(temporary):
            unreadable = StorageError(
                "another program has it open for writing, and would lose that; close it there, or choose another name",
                path=path,
            )
        came_out = _digest(Path(temporary)) if unreadable is None else None
    except OSError as error:
        came_out, unreadable = None, error
    if came_out == replaces:
        with suppress(OSError):
            os.unlink(temporary)
        return
    try:
        _rename(temporary, target, _EXCHANGE, _SWAP)
    except OSError:
        # The new file stays in place, and what it replaced stays beside it: nothing is lost.
        with suppress(OSError):
            os.rename(temporary, _free_name(target))
        return
    with suppress(FileNotFoundError):
        if os.stat(temporary).st_ino != ours:  # a third writer came between the two exchanges: keep its content, too
            os.rename(temporary, _free_name(target))
    if unreadable is not None:
        raise unreadable
    raise FileChanged(found=came_out or "", path=path)


def _is_being_written(path: str) -> bool:
    """Whether a program still has the file open for writing, after waiting for it a while; False where the system
    cannot tell.

    Linux grants a read lease only on a file that nobody has open for writing (fcntl(2)). It is given back at once.
    """
    if not sys.platform.startswith("linux"):
        return False
    import fcntl

    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)  # sent when the lease breaks: the default would end us
        ends = time.monotonic() + LONGEST_WAIT_FOR_WRITERS
        while True:
            try:
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
                return False
            except OSError as error:
                if error.errno != errno.EAGAIN:  # another user's file, or a file system without leases
                    return False
                if time.monotonic() > ends:
                    return True
                time.sleep(_BETWEEN_LOOKS)
    finally:
        os.close(descriptor)


def _free_name(target: Path) -> Path:
    number = 1
    while True:
        free = target.with_name(f"{target.stem}-kept-{number}{target.suffix}")
        if not os.path.lexists(free):
            return free
        number += 1


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def _rename(one: str | Path, other: str | Path, linux: int, macos: int) -> bool:
    """Rename with the system's flags; False, with nothing done, where the system or the file system knows none."""
    call = _system_call()
    if call is None:
        return False
    if sys.platform == "darwin":
        outcome = call(os.fsencode(one), os.fsencode(other), macos)
    else:
        outcome = call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), linux)
    if outcome == 0:
        return True
    code = ctypes.get_errno()
    if code in _NOT_SUPPORTED:
        return False
    raise OSError(code, os.strerror(code), os.fspath(other))


@cache
def _system_call() -> Callable[..., int] | None:
    if not sys.platform.startswith(("linux", "darwin")):
        return None
    try:
        library = ctypes.CDLL(None, use_errno=True)
        return library.renamex_np if sys.platform == "darwin" else library.renameat2
    except (OSError, AttributeError):
        return None


# --- what the old file had -------------------------------------------------------------------------------------------


def _keep_owner_and_attributes(target: Path, status: os.stat_result, descriptor: int) -> None:
    """Give the new file the owner, the group and the extended attributes of the old one, as far as we may."""
    if hasattr(os, "fchown"):
        mine = os.fstat(descriptor)
        if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
            with suppress(OSError):
                os.fchown(descriptor, -1, status.st_gid)
            with suppress(OSError):
                os.fchown(descriptor, status.st_uid, -1)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(target):
                with suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(target, name))


def _sync_directory(directory: Path) -> None:
    """Flush the directory, so that the rename survives a crash; where the system allows it."""
    if os.name == "nt":
        return
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError:
        return
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        with suppress(OSError):
            os.close(descriptor)
