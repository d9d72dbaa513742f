"""Sessions that a stranger wrote, handed back to an agent: no option, no key press, no endless file comes of them."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from opentine_gui.core.errors import EditError
from opentine_gui.core.model import JsonObject
from opentine_gui.export.sessions import gemini, hand_back
from opentine_gui.importers.gemini.reader import project_folder
from opentine_gui.importers.json_lines import Line
from opentine_gui.importers.readers import read_source
from opentine_gui.importers.reading import Place
from tests.export.sessions.test_claude_code import SOURCES, wish


def in_its_place(home: Path, name: str, cwd: str | None = None) -> Path:
    """A recorded session as it would lie in an agent's own folder, under another name or held in another folder."""
    path = home / "projects" / "-work" / f"{name}.jsonl"
    path.parent.mkdir(parents=True)
    lines = SOURCES[0].read_bytes().splitlines()
    if cwd is not None:
        records = [json.loads(line) for line in lines]
        lines = [json.dumps(one | {"cwd": cwd} if "cwd" in one else one).encode() for one in records]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


@pytest.mark.parametrize("name", ["--dangerously-skip-permissions", "-p", "--settings=x", "a b", "id;rm"])
def test_the_name_of_a_session_file_is_never_an_option_of_the_command(tmp_path: Path, name: str) -> None:
    reading = read_source(in_its_place(tmp_path, name))
    for place in range(len(reading.record.graph)):
        try:
            found = hand_back(wish(reading, place))
        except EditError:
            continue
        assert name not in found.command


def test_a_session_of_an_ordinary_name_is_continued_at_its_end_by_the_agent_itself(tmp_path: Path) -> None:
    name = SOURCES[0].stem
    reading = read_source(in_its_place(tmp_path, name))
    found = hand_back(wish(reading, reading.record.graph.index(reading.record.refs["main"])))
    assert name in found.command


FOLDERS = ("/w\nrm -rf x\n", "/w\x03\r", "/w\x1b[201~", "/w\x9b", "/w\u202etxt", "/\0", "-P", "w")


@pytest.mark.parametrize("cwd", FOLDERS)
def test_a_recorded_folder_is_no_key_press_and_no_place_beside_this_program(tmp_path: Path, cwd: str) -> None:
    reading = read_source(in_its_place(tmp_path, "a-b", cwd))
    for place in range(len(reading.record.graph)):
        with pytest.raises(EditError):
            hand_back(wish(reading, place))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_the_folder_beside_a_chat_is_not_awaited(tmp_path: Path, kind: str) -> None:
    (tmp_path / "chats").mkdir()
    beside = tmp_path / ".project_root"
    if kind == "pipe":
        os.mkfifo(beside)
    else:
        beside.symlink_to("/dev/zero")
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(5)
    try:
        assert project_folder(tmp_path / "chats" / "session-1.json") == ""
    finally:
        signal.alarm(0)


def _too_long(*_arguments: object) -> None:
    raise AssertionError("it was read without an end")


def test_a_message_whose_id_is_no_text_is_a_message_like_others() -> None:
    place = Place(Path("x"), 0, 1)
    odd: JsonObject = {"type": "gemini", "id": {"a": 1}, "content": "said"}
    lines = [Line(odd, place), Line({"$set": {"messages": [odd]}}, place)]
    assert gemini._list_at(lines) == [odd]
