"""Patches in tool calls: the `*** Begin Patch` form and unified diffs, as hunks of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$")
_MOVE = re.compile(r"^\*\*\* Move to: (.+)$")
_OLD_NAME = re.compile(r"^--- (?:a/)?([^\t\n]+)")
_NEW_NAME = re.compile(r"^\+\+\+ (?:b/)?([^\t\n]+)")
_HUNK = re.compile(r"^@@ -(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)? @@")


class Hunk(NamedTuple):
    """Consecutive lines and what they become; `after` is a line above them ("": none), `line` their number or 0."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    after: str = ""
    line: int = 0


class Hunks(NamedTuple):
    """A change as hunks, from the top of the file to its end."""

    hunks: tuple[Hunk, ...]


class PatchedFile(NamedTuple):
    """A file of a patch: its hunks, or the text of an `added` file, or that it was `deleted`."""

    path: str
    hunks: Hunks = Hunks(())
    added: str | None = None
    deleted: bool = False
    moved_to: str = ""


def has_patch(text: str) -> bool:
    """Whether a text holds a patch of either form."""
    return "*** Begin Patch" in text or (
        "\n+++ " in text and "\n@@ " in text and text.lstrip().startswith(("---", "diff "))
    )


def patched_files(text: str) -> Iterator[PatchedFile]:
    """The files of a patch, in its order."""
    if "*** Begin Patch" in text:
        yield from _own_form(_lines(text.partition("*** Begin Patch")[2]))
    else:
        yield from _unified(_lines(text))


def _lines(text: str) -> list[str]:
    """The lines of a text. A form feed or a paragraph separator ends no line: files contain them inside lines."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if not lines[-1] else lines


def _own_form(lines: list[str]) -> Iterator[PatchedFile]:
    kind = path = moved = ""
    body: list[str] = []
    for line in [*lines, "*** End Patch"]:
        found = _FILE.match(line)
        if found is None and line.strip() != "*** End Patch":
            move = _MOVE.match(line)
            if move is not None:
                moved = move[1].strip()
            elif line != "*** End of File":
                body.append(line)
            continue
        if kind == "Add":
            yield PatchedFile(path, added="".join(f"{row[1:]}\n" for row in body if row.startswith("+")))
        elif kind == "Delete":
            yield PatchedFile(path, deleted=True)
        elif kind == "Update":
            yield PatchedFile(path, Hunks(tuple(_hunks(body))), moved_to=moved)
        if found is None:
            return
        kind, path, moved, body = found[1], found[2].strip(), "", []


def _hunks(body: list[str]) -> Iterator[Hunk]:
    old: list[str] = []
    new: list[str] = []
    after, line = "", 0
    for row in [*body, "@@"]:
        if row.startswith("@@"):
            if old or new:
                yield Hunk(tuple(old), tuple(new), after, line)
            numbered = _HUNK.match(row)
            line = int(numbered[1]) if numbered else 0
            after = "" if numbered else row[2:].strip()
            old, new = [], []
        elif row.startswith("-"):
            old.append(row[1:])
        elif row.startswith("+"):
            new.append(row[1:])
        elif not row.startswith("\\"):  # "\ No newline at end of file"
            same = row[1:] if row.startswith(" ") else row
            old.append(same)
            new.append(same)


def _unified(lines: list[str]) -> Iterator[PatchedFile]:
    before = after = ""
    body: list[str] = []
    for number, line in enumerate([*lines, "--- "]):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        starts = line.startswith("--- ") and (number == len(lines) or following.startswith("+++ "))
        if starts or line.startswith("diff --git "):
            if after:
                yield _unified_file(before, after, body)
            named = _OLD_NAME.match(line)
            before, after, body = (named[1].strip() if named else ""), "", []
        elif line.startswith("+++ ") and not body:
            named = _NEW_NAME.match(line)
            after = named[1].strip() if named else ""
        elif after:
            body.append(line)


def _unified_file(before: str, after: str, body: list[str]) -> PatchedFile:
    if after == "/dev/null":
        return PatchedFile(before, deleted=True)
    hunks = Hunks(tuple(_hunks(body)))
    if before == "/dev/null":
        return PatchedFile(after, added="".join(f"{line}\n" for hunk in hunks.hunks for line in hunk.new))
    return PatchedFile(before, hunks, moved_to=after if after != before else "")
