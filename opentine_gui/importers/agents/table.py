"""The table of agents: where each keeps its sessions on every system, and which files are sessions."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

DEEPEST = 5
"""Levels of folders searched below an agent's own."""


class Places(NamedTuple):
    """What agents' folders depend on: environment variables, the home folder, the system (as `sys.platform`)."""

    environment: Mapping[str, str]
    home: Path
    system: str = sys.platform

    def folder(self, variable: str, *default: str) -> Path:
        """The folder an environment variable names, else one below the home folder."""
        named = self.environment.get(variable)
        return _folder(named) if named else self.home.joinpath(*default)

    @property
    def data(self) -> Path:
        """The folder for user data by the XDG rules; OpenCode uses it on every system."""
        return self.folder("XDG_DATA_HOME", ".local", "share")

    @property
    def editors(self) -> tuple[Path, ...]:
        """The user folders of VS Code and of the editors made from it."""
        if self.system == "darwin":
            base = self.home / "Library" / "Application Support"
        elif self.system == "win32":
            base = self.folder("APPDATA", "AppData", "Roaming")
        else:
            base = self.folder("XDG_CONFIG_HOME", ".config")
        names = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
        return tuple(base / name / "User" for name in names)


class Agent(NamedTuple):
    """A row of the table.

    `name` is what is typed (`latest claude`), `title` what is shown. `folders` are where its sessions lie; `is_session`
    says by name alone whether the path of a file or folder is a session; `deepest` is how many levels below `folders`
    are searched; `belongs(session, folder)` is False if the session's path shows that it is not of that working
    folder: some agents name folders after it.
    """

    name: str
    title: str
    folders: Callable[[Places], tuple[Path, ...]]
    is_session: Callable[[Path], bool]
    deepest: int = DEEPEST
    belongs: Callable[[Path, Path], bool] = lambda _session, _folder: True


def _folder(named: str) -> Path:
    """A folder named by an environment variable; `~` of an unknown user stays as it is."""
    return Path(os.path.expanduser(named))


def dashed(folder: Path) -> str:
    """Claude Code's folder name for a working folder: everything but letters and digits becomes a dash."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(folder))


def _claude(places: Places) -> tuple[Path, ...]:
    return (places.folder("CLAUDE_CONFIG_DIR", ".claude") / "projects",)


def _codex(places: Places) -> tuple[Path, ...]:
    home = places.folder("CODEX_HOME", ".codex")
    return home / "sessions", home / "archived_sessions"


def _pi(places: Places) -> tuple[Path, ...]:
    named = places.environment.get("PI_CODING_AGENT_SESSION_DIR")
    if named:
        return (_folder(named),)
    return (places.folder("PI_CODING_AGENT_DIR", ".pi", "agent") / "sessions",)


def _gemini(places: Places) -> tuple[Path, ...]:
    return (places.folder("GEMINI_CLI_HOME") / ".gemini" / "tmp",)


def _opencode(places: Places) -> tuple[Path, ...]:
    return (places.data / "opencode",)


def _openhands(places: Places) -> tuple[Path, ...]:
    return (places.home / ".openhands" / "conversations",)


def _copilot(places: Places) -> tuple[Path, ...]:
    return (places.folder("COPILOT_HOME", ".copilot") / "session-state",)


def _cline(places: Places) -> tuple[Path, ...]:
    names = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline")
    found = [user / "globalStorage" / name / "tasks" for user in places.editors for name in names]
    return (*found, places.home / ".cline" / "data" / "tasks")


AGENTS: tuple[Agent, ...] = (
    Agent(
        "claude",
        "Claude Code",
        _claude,
        lambda path: path.suffix == ".jsonl" and not path.name.startswith("agent-"),
        1,  # sub-agents are in deeper folders and are read with their session
        lambda session, folder: session.parent.name == dashed(folder),
    ),
    Agent("codex", "Codex", _codex, lambda path: path.name.startswith("rollout-") and ".jsonl" in path.name),
    Agent(
        "pi",
        "pi",
        _pi,
        lambda path: path.suffix == ".jsonl",
        1,
        lambda session, folder: session.parent.name.strip("-") == re.sub(r"[/\\:]", "-", str(folder)).strip("-"),
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        _gemini,
        lambda path: path.name.startswith("session-") and path.suffix in (".jsonl", ".json"),
        2,
    ),
    Agent("opencode", "OpenCode", _opencode, lambda path: path.name == "opencode.db", 0),
    Agent("openhands", "OpenHands", _openhands, lambda path: path.name == "base_state.json", 1),
    Agent("copilot", "Copilot CLI", _copilot, lambda path: path.name == "events.jsonl", 1),
    Agent("cline", "Cline", _cline, lambda path: path.name == "ui_messages.json", 1),
)
"""Every agent whose sessions are listed; one that is not on this machine has no row in the window."""

WHOLE_FOLDERS = ("openhands", "cline")
"""Agents whose sessions are folders: the file that is found represents the folder that holds it."""


def agent_named(name: str) -> Agent | None:
    """The agent with this name."""
    return next((agent for agent in AGENTS if agent.name == name), None)


def files_below(folder: Path, deepest: int) -> Iterator[os.DirEntry[str]]:
    """Every regular file below a folder, down to a depth; nothing if it cannot be read. Links are not followed."""
    waiting = [(os.fspath(folder), 0)]
    while waiting:
        place, depth = waiting.pop()
        try:
            with os.scandir(place) as entries:
                found = list(entries)
        except OSError:
            continue
        for entry in found:
            try:
                if entry.is_file(follow_symlinks=False):
                    yield entry
                elif depth < deepest and entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, depth + 1))
            except OSError:
                continue
