"""Keys that the user chose: they win, what is wrong with the file is said, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.actions import Registry, all_actions
from opentine_gui.app.state.own_keys import checked_chord, keys_path, with_own_keys


def changed(folder: Path, changes: object) -> tuple[Registry, list[str]]:
    keys_path(folder).write_bytes(msgspec.json.encode({"changed": changes}))
    return with_own_keys(all_actions(), folder)


def test_a_key_of_the_users_is_taken_from_the_action_that_had_it(tmp_path: Path) -> None:
    registry, complaints = changed(tmp_path, {"edit.undo": ["F9", "ctrl+shift+f"]})
    assert complaints == []
    assert registry["edit.undo"].keys == ("F9", "Ctrl+Shift+F")
    assert registry.by_key("F9").id == registry.by_key("Ctrl+Shift+F").id == "edit.undo"
    assert registry.by_key("Ctrl+Z") is None
    assert "Ctrl+Shift+F" not in {key for action in registry if action.id != "edit.undo" for key in action.keys}


def test_an_empty_list_takes_an_actions_keys_away(tmp_path: Path) -> None:
    registry, _ = changed(tmp_path, {"edit.undo": []})
    assert registry["edit.undo"].key == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"edit.undoo": ["F9"]}, "did you mean edit.undo?"),
        ({"edit.undo": ["Hyper+Q"]}, "'Hyper+Q' of edit.undo is no key"),
        ({"edit.undo": ["F9"], "edit.redo": ["F9"]}, "F9 is given to edit.undo and to edit.redo"),
        ({"view.dismiss": ["F9"]}, "view.dismiss keeps its keys"),
        ({"edit.undo": "F9"}, 'edit.undo needs a list of keys, such as ["Ctrl+Z"]'),
        ({"edit.undo": ["F9", 9]}, "edit.undo needs a list of keys"),
    ],
)
def test_what_cannot_be_followed_is_reported_and_the_rest_holds(tmp_path: Path, changes: object, said: str) -> None:
    registry, (complaint,) = changed(tmp_path, {**changes, "run.fork": ["F10"]})
    assert said in complaint
    assert str(keys_path(tmp_path)) in complaint
    assert registry.by_key("F10").id == "run.fork"


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b'{"changed": ["F9"]}', b'{"edit.undo": ["F9"]}', b"\xff", b"[" * 100_000]
)
def test_a_damaged_file_leaves_the_keys_as_they_come(tmp_path: Path, text: bytes) -> None:
    keys_path(tmp_path).write_bytes(text)
    registry, (complaint,) = with_own_keys(all_actions(), tmp_path)
    assert "the program comes with" in complaint
    assert registry["edit.undo"].keys == all_actions()["edit.undo"].keys


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b'{"changed": {\n  "run.fork": ["F9"]\n  "run.merge": ["F8"]}}', "line 3, column 3"),
        (b'{"changed": {"run.fork": ["F9"], "run.fork": ["F8"]}}', "“run.fork” stands twice"),
        (b'{"changed": {\n  "run.fork": ["\xff"]}}', "line 2"),
        (b'{"changes": {}, "changed": 3}', '{"changed": {"action": ["key"]}}'),
    ],
)
def test_a_damaged_file_is_said_to_be_damaged_on_which_line(tmp_path: Path, text: bytes, place: str) -> None:
    keys_path(tmp_path).write_bytes(text)
    _, (complaint,) = with_own_keys(all_actions(), tmp_path)
    assert place in complaint


def test_without_a_file_nothing_is_reported_and_nothing_made(tmp_path: Path) -> None:
    registry, complaints = with_own_keys(all_actions(), tmp_path)
    assert complaints == []
    assert list(registry) == list(all_actions())
    assert list(tmp_path.iterdir()) == []


def test_every_chord_of_the_program_can_be_written_in_the_file() -> None:
    for action in all_actions():
        for chord in (*action.keys, *action.mode_keys):
            if chord != "Esc":
                assert checked_chord(chord) == chord
                assert checked_chord(chord.lower()) == chord


@given(st.dictionaries(st.sampled_from([action.id for action in all_actions()]), st.lists(st.text(max_size=12))))
def test_no_file_makes_a_registry_fail(tmp_path_factory: pytest.TempPathFactory, changes: dict[str, list[str]]) -> None:
    registry, _ = changed(tmp_path_factory.mktemp("keys"), changes)
    assert len(list(registry)) == len(list(all_actions()))
