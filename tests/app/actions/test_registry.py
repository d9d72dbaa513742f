"""The registry of actions: no action is without a case, and menus, keys, the palette and errors are as designed."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from opentine_gui.app.actions import Action, Registry, all_actions
from opentine_gui.app.actions.finding.command_words import COMMAND_WORDS
from opentine_gui.app.inspect.keys import MODES, key_list
from opentine_gui.app.state.action_registry import MENUS, Submenu
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.app.state.window_state import MENU_ARGUMENTS
from opentine_gui.export import FORMATS
from tests.app.actions.conftest import COVERED, RUN, opened
from tests.app.conftest import Bench

HERE = Path(__file__).parent


def test_every_action_has_a_case_and_no_case_is_left_over_from_one_that_is_gone() -> None:
    for path in sorted(HERE.rglob("test_*.py")):
        import_module(".".join(("tests.app.actions", *path.relative_to(HERE).with_suffix("").parts)))
    assert set(COVERED) == {action.id for action in all_actions()}
    assert sorted(RUN) == sorted(COVERED)


def test_a_switch_says_what_it_stands_at(bench: Bench) -> None:
    opened(bench)
    switches = [action for action in all_actions() if isinstance(action.state(bench.session), bool)]
    assert {action.id for action in switches} >= {"view.panels", "view.minimap", "view.motion", "view.inspector_wide"}
    for action in switches:
        before = action.state(bench.session)
        bench.do(action.id)
        assert action.state(bench.session) is not before
    for action_id, ways in (("view.theme", ("light", "dark")), ("view.direction", (None, None))):
        action = bench.session.actions[action_id]
        names = set()
        for way in ways:
            names.add(action.state(bench.session))
            bench.do(action_id, **({} if way is None else {"name": way}))
        assert len(names) == 2
        assert "" not in names


def test_every_action_says_in_one_sentence_what_it_does() -> None:
    for action in all_actions():
        assert re.fullmatch(r"[A-Z].*[^.]\.", action.description), action.id
        assert action.title == action.title.strip()
        assert re.fullmatch(r"[a-z]+\.[a-z_]+", action.id), action.id


@pytest.mark.parametrize("kind", MENU_ARGUMENTS)
def test_what_a_context_menu_is_opened_on_is_what_its_actions_take(kind: str) -> None:
    items = all_actions().context_menu(kind)
    held = [action for item in items if item for action in (item.actions if isinstance(item, Submenu) else (item,))]
    assert held or kind == "value"
    for action in held:
        assert set(MENU_ARGUMENTS[kind]) <= set(inspect.signature(action.run).parameters), action.id


def test_a_context_menu_holds_each_of_its_actions_once_those_for_the_run_first() -> None:
    registry = all_actions()
    items = registry.context_menu("step")
    held = [action for item in items if item for action in (item.actions if isinstance(item, Submenu) else (item,))]
    kinds = {action.id: [context.partition("/")[0] for context in action.contexts] for action in registry}
    assert sorted(action.id for action in held) == sorted(id for id, own in kinds.items() if "step" in own)
    menus = [action.menu for action in held]
    first = next(place for place, menu in enumerate(menus) if menu != "Run")
    (branch,) = [item for item in items if isinstance(item, Submenu) and item.title == "Branch"]
    assert first
    later = [action.id for action in held[first:] if action.menu == "Run"]
    assert later == [action.id for action in branch.actions if action.menu == "Run"], "no other stands further below"
    assert all(kind in MENU_ARGUMENTS for own in kinds.values() for kind in own)
    assert items[0] is not None
    assert items[-1] is not None


def test_the_list_of_keys_has_every_key_there_is() -> None:
    registry = all_actions()
    rows = key_list(registry)
    for action in registry:
        for chords in (action.keys, action.mode_keys):
            if chords:
                assert any(row.title == action.title and row.keys.startswith(chords[0]) for row in rows), action.id
    headings = [row.title for row in rows if not row.keys]
    assert headings == [*(menu for menu in MENUS if menu in headings), "Canvas", *MODES.values(), "Pointer"]


def test_enter_reads_the_step_unless_something_is_proposed(bench: Bench) -> None:
    opened(bench)
    bench.press("Enter")
    bench.session.settle()
    assert bench.session.view.reading
    bench.press("Esc")
    bench.session.settle()
    bench.do("run.fork")
    bench.press("Enter")
    bench.session.settle()
    assert len(bench.session.documents) == 2


def test_two_actions_cannot_share_an_id_or_a_key() -> None:
    action = all_actions()["file.open"]
    with pytest.raises(ValueError, match="two actions are called"):
        Registry([action, action])
    with pytest.raises(ValueError, match=re.escape("Ctrl+O belongs to")):
        Registry([action, Action("other.id", "Other", "Other.", action.run, keys=("Ctrl+O",))])


def test_the_keys_of_the_design_do_what_the_design_says() -> None:
    registry = all_actions()
    wanted = {
        "Home": "view.fit",
        "F": "run.fork",
        "E": "run.fork_edit",
        "M": "run.merge",
        "N": "go.next_failure",
        "Z": "view.frame_selection",
        "/": "search.open",
        "Ctrl+F": "search.open",
        "F3": "search.next",
        "Shift+F3": "search.previous",
        "Ctrl+K": "view.palette",
        "Ctrl+Z": "edit.undo",
        "Ctrl+Shift+Z": "edit.redo",
        "Ctrl+S": "file.save",
        "Tab": "view.panels",
        "Up": "select.up",
        "Left": "select.left",
        "Enter": "inspect.read",
        "Esc": "view.dismiss",
    }
    found = {key: getattr(registry.by_key(key), "id", None) for key in wanted}
    assert found == wanted
    assert registry.by_key("Ctrl+Alt+F12") is None
    accept = registry.by_key("Enter", "propose")
    assert accept is not None
    assert accept.id == "proposal.accept"


def test_menus_hold_every_action_that_names_one_once_and_no_line_at_an_end() -> None:
    registry = all_actions()
    menus = registry.menus()
    held = [action.id for menu in menus for action in menu.actions]
    assert sorted(held) == sorted(action.id for action in registry if action.menu)
    for menu in menus:
        assert sum(item is not None for item in menu.items) <= 26 - 8 * (menu.title in ("View", "Run")), (
            "a menu is taken in at a look"
        )
        assert menu.items[0] is not None
        assert menu.items[-1] is not None


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("fork from", "run.fork"),
        ("undo", "edit.undo"),
        ("sav as", "file.save_as"),
        ("nxt fail", "go.next_failure"),
        ("copy md", "edit.copy_markdown"),
        ("fit", "view.fit"),
        ("oen", "file.open"),
        ("abuot", "help.about"),
    ],
)
def test_the_palette_finds_what_was_meant_first(text: str, first: str) -> None:
    assert all_actions().search(text)[0].id == first


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("text size", {"view.scale"}),
        ("font size", {"view.scale"}),
        ("zoom text", {"view.scale"}),
        ("font", {"view.scale"}),
        ("history", {"edit.undo", "edit.redo", "go.back", "go.forward", "file.open_recent"}),
        ("settings", {"view.scale", "view.theme", "view.motion", "view.file_dialogs", "help.change_keys"}),
        ("filter", {"search.open"}),
        *((text, {"file.export"}) for text in ("html", "mermaid", "png", "graphml", "report")),
    ],
)
def test_the_palette_knows_the_words_of_other_programs(text: str, found: set[str]) -> None:
    assert {action.id for action in all_actions().search(text)[: len(found)]} == found


def test_every_form_of_an_export_is_found_and_no_words_are_left_of_an_action_that_is_gone() -> None:
    registry = all_actions()
    assert [name for name in COMMAND_WORDS if name not in registry] == []
    known = registry["file.export"].words.split()
    forms = [suffix[1:] for form in FORMATS.values() for suffix in form.suffixes]
    assert [name for name in (*FORMATS, *forms) if not any(word.startswith(name) for word in known)] == []
    assert registry.search("markdown")[0].id == "edit.copy_markdown", "what is called so comes first"


def test_the_palette_lists_everything_at_first_and_nothing_for_nonsense() -> None:
    registry = all_actions()
    assert len(registry.search("")) == sum(action.palette for action in registry)
    assert registry.search("qqqqzzzz") == ()


def test_every_action_of_the_palette_runs_or_says_why_not_in_an_empty_session(bench: Bench) -> None:
    for action in bench.session.actions.search(""):
        reason = bench.session.enabled(action.id)
        assert reason is None or re.fullmatch(r"[A-Z].*\.", reason), action.id


def test_a_disabled_action_says_why_when_it_is_asked_for(bench: Bench) -> None:
    bench.do("run.fork")
    assert bench.notices() == ["Fork from here: No run is open."]
    assert not bench.press("F")


def test_a_reason_that_names_the_action_stands_alone(bench: Bench) -> None:
    opened(bench)
    bench.do("edit.undo")
    bench.do("edit.redo")
    assert bench.notices() == ["There is nothing to undo.", "There is nothing to redo."]


def test_an_action_on_a_step_that_is_not_there_says_so(bench: Bench) -> None:
    opened(bench)
    assert "no step" in (bench.session.enabled("run.fork", step="ffffffffffff") or "")
    assert bench.session.enabled("run.fork", step=bench.record.graph.ids[2][:12]) is None


def test_an_unknown_action_is_an_error_of_the_caller(bench: Bench) -> None:
    with pytest.raises(KeyError):
        bench.session.invoke("no.such_action")


def test_an_error_in_an_action_becomes_one_notice_and_the_next_action_still_runs(bench: Bench) -> None:
    opened(bench)
    bench.session.invoke("select.step", step="ffffffffffff")
    bench.session.invoke("view.palette")
    bench.session.settle()
    assert len(bench.notices("error")) == 1
    assert "ffffffffffff" in bench.notices("error")[0]
    assert bench.session.view.palette


def test_confirm_questions_offer_a_way_out(bench: Bench, tmp_path: Path) -> None:
    opened(bench)
    bench.do("run.fork", accept=True)
    bench.do("file.close", None)
    question = bench.prompter.asked[-1]
    assert isinstance(question, Confirm)
    assert question.choices[-1] == "Cancel"
    assert len(bench.session.documents) == 2


def test_a_word_of_a_title_counts_more_than_the_name_of_a_menu(bench: Bench) -> None:
    found = [action.id for action in bench.session.actions.search("edit")]
    of_the_menu = [found.index(name) for name in ("search.open", "edit.copy_id") if name in found]
    assert of_the_menu
    assert found.index("run.fork_edit") < min(of_the_menu)
