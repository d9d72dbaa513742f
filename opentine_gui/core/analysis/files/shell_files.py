"""Files in simple shell commands: printed, written from a here-document, redirected into, edited or removed.

Only what a command line says beyond doubt counts as using a file. Only a here-document gives the text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Literal

What = Literal["read", "write", "change", "delete"]
Use = tuple[str, What, str]
"""(path, what happens to it, the text that is written: "" for anything but a write)."""
LONGEST = 200_000
_HEREDOC = re.compile(r"^(?P<head>.*?)<<-?\s*(['\"]?)(?P<end>\w+)\2(?P<rest>.*)$")
_INTO = re.compile(r"(?<![<>&\d])(>>?)\s*(?:\"([^\"]+)\"|'([^']+)'|([^\s;&|<>()]+))")
_PRINTS = frozenset(("cat", "head", "tail", "nl", "less", "more", "bat"))


def shell_uses(command: str) -> list[Use]:
    """The files that a command line reads and changes, in order."""
    if len(command) > LONGEST:
        return []
    plain: list[str] = []
    found: list[Use] = []
    lines = iter(command.split("\n"))
    for line in lines:
        here = _HEREDOC.match(line)
        if here is None:
            plain.append(line)
            continue
        body = []
        for inner in lines:
            if inner.strip() == here["end"]:
                break
            body.append(inner)
        target = _INTO.search(f"{here['head']} {here['rest']}")
        tee = re.search(r"\btee\s+([^\s|;&]+)", f"{here['head']} {here['rest']}")
        name = next(filter(None, target.groups()[1:]), "") if target else tee[1] if tee else ""
        if name and not name.startswith("/dev/") and re.match(r"\s*(?:cd\s+\S+\s*&&\s*)?(?:cat|tee)\b", line):
            appends = bool(target and target[1] == ">>")
            found.append((name, "change", "") if appends else (name, "write", "".join(f"{row}\n" for row in body)))
        else:
            plain.append(here["head"])
    folder = ""
    for words in _commands("\n".join(plain)):
        if len(words) == 2 and words[0] == "cd":
            folder = words[1] if words[1].startswith("/") or not folder else f"{folder}/{words[1]}"
            continue
        for name, what, text in _of_command(words):
            inside = folder and not name.startswith(("/", "~"))
            found.append((f"{folder}/{name}" if inside else name, what, text))
    return [use for use in found if _is_path(use[0])]


def _commands(text: str) -> Iterator[list[str]]:
    """The words of each command, redirections included; nothing for a line that a shell would not accept."""
    read = shlex.shlex(text, posix=True, punctuation_chars="();<>|&\n")
    read.whitespace, read.whitespace_split = " \t\r", True
    words: list[str] = []
    try:
        for token in read:
            if token and not token.strip("();|&\n"):
                yield words
                words = ["|"] if token == "|" else []
            else:
                words.append(token)
    except ValueError:  # an unclosed quote
        return
    yield words


def _of_command(words: list[str]) -> Iterator[Use]:
    into = [place for place, word in enumerate(words) if word.strip("&|") in (">", ">>")]
    for place in into:
        number = words[place - 1] if place else ""
        if place + 1 < len(words) and number != "2" and not words[place + 1].startswith(("/dev/", "&")):
            yield words[place + 1], "change", ""
    gone = {other for place in into for other in (place, place + 1)}
    words = [word for place, word in enumerate(words) if place not in gone and not word.startswith(("<", ">"))]
    while words and "=" in words[0].partition("/")[0] and not words[0].startswith("-"):
        words.pop(0)
    if not words or words[0] == "|":
        return
    name, names = words[0].rpartition("/")[2], [word for word in words[1:] if word and not word.startswith("-")]
    if name in _PRINTS:
        for one in names:
            if not one.isdigit():
                yield one, "read", ""
    elif name == "sed":
        edits = any(word.startswith("-i") or word == "--in-place" for word in words[1:])
        for one in names[1:]:
            yield one, "change" if edits else "read", ""
    elif name == "rm":
        for one in names:
            yield one, "delete", ""
    elif name in ("mv", "cp") and len(names) == 2:
        if name == "mv":
            yield names[0], "delete", ""
        yield names[1], "change", ""
    elif name == "tee":
        for one in names:
            yield one, "change", ""
    elif name == "git" and words[1:2] in (["checkout"], ["restore"]) and "--" in words:
        for one in words[words.index("--") + 1 :]:
            yield one, "change", ""


def _is_path(name: str) -> bool:
    """Whether a word is a plain path: no pattern, no variable, and not just a number."""
    return bool(name) and not set(name) & set("*?$`{}()[]<>!\n") and name not in (".", "..", "-") and not name.isdigit()
