"""The small values of the application: history, selection, visits, notices, settings, positions, queries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.document.side_stores.card_positions import PositionStore
from opentine_gui.app.folder.run_query import matches
from opentine_gui.app.folder.runs_folder import RunSummary, family_order
from opentine_gui.app.search.query import parse_query
from opentine_gui.app.state.commands import UndoHistory
from opentine_gui.app.state.notices import Notices
from opentine_gui.app.state.prompts import CANCEL, Confirm, ListPrompter, OpenFolder
from opentine_gui.app.state.selection import Selection, VisitHistory
from opentine_gui.app.state.settings import Settings, load_settings, save_settings


@given(st.lists(st.sampled_from(["record", "undo", "redo"]), max_size=60))
def test_history_behaves_like_a_list_with_a_place_in_it(moves: list[str]) -> None:
    history, states, place = UndoHistory(0, depth=5), [0], 0
    numbers = {0: history.number}
    for number, move in enumerate(moves, 1):
        if move == "record":
            history.record(f"edit {number}", number)
            states = [*states[: place + 1], number][-6:]
            place = len(states) - 1
        elif move == "undo":
            place = max(0, place - 1)
            assert history.undo() == states[place]
        else:
            place = min(len(states) - 1, place + 1)
            assert history.redo() == states[place]
        assert history.current == states[place]
        assert numbers.setdefault(history.current, history.number) == history.number
        assert len(set(numbers.values())) == len(numbers), "no two states have one number, however many were dropped"
        assert (history.undo_label is None) is (place == 0)
        assert (history.redo_label is None) is (place == len(states) - 1)


def test_the_same_state_again_is_not_an_edit() -> None:
    state = object()
    history = UndoHistory(state)
    history.record("nothing", state)
    assert history.undo_label is None


@given(st.lists(st.sampled_from("abcd")), st.sampled_from("abcd"))
def test_a_selection_keeps_order_without_repetition(ids: list[str], step: str) -> None:
    selection = Selection.of(ids)
    assert list(selection) == list(dict.fromkeys(ids))
    toggled = selection.toggled(step)
    assert (step in toggled) is (step not in selection)
    assert Selection.of(ids).added([step]).ids[: len(selection)] == selection.ids
    assert toggled.toggled(step) == (selection if step not in selection else Selection((*toggled, step)))


def test_visits_go_back_and_forward_and_skip_what_is_gone() -> None:
    visited = VisitHistory()
    for step in "abbcd":
        visited.visit(step)
    assert visited.go(-1, lambda step: step if step != "c" else None) == "b"
    assert visited.neighbour(1, lambda step: step if step != "c" else None) == "d"
    assert visited.go(-1, lambda step: step) == "a"
    assert visited.go(-1, lambda step: step) is None
    visited.visit("z")
    assert visited.go(1, lambda step: step) is None
    assert visited.go(-1, lambda step: step) == "a"


def test_visits_follow_steps_to_other_ids_and_pass_over_what_is_the_same_step_by_now() -> None:
    visited = VisitHistory()
    for step in "abcd":
        visited.visit(step)
    present = {"a": "a", "b": "B", "c": None, "d": "B"}
    assert visited.neighbour(-1, present.get) == "a"
    assert visited.go(-1, present.get) == "a"
    assert visited.go(1, present.get) == "B"


def test_a_notice_with_the_key_of_another_takes_its_place_at_the_end() -> None:
    notices = Notices()
    notices.add("info", "one", key="k")
    notices.add("error", "two")
    notices.add("good", "three", key="k")
    assert [notice.text for notice in notices.list()] == ["two", "three"]
    before = notices.revision
    notices.dismiss("unknown")
    assert notices.revision == before
    notices.dismiss("k")
    assert notices.get("k") is None
    for number in range(200):
        notices.add("info", str(number))
    assert len(notices.list()) == 50


def test_a_prompter_without_answers_declines() -> None:
    prompter, given_answers = ListPrompter(["yes"]), []
    for _ in range(2):
        prompter.ask(OpenFolder("Open", Path()), given_answers.append)
    assert given_answers == ["yes", None]


# --- settings and positions -------------------------------------------------------------------------------------------


def test_settings_come_back_as_they_were_written() -> None:
    settings = Settings(window_width=1234, theme="light", motion=False)
    settings.remember_file(Path("/runs/a.tine"))
    settings.remember_file(Path("/runs/b.tine"))
    settings.remember_file(Path("/runs/a.tine"))
    save_settings(settings)
    assert load_settings() == settings
    assert settings.recent == ["/runs/a.tine", "/runs/b.tine"]


@pytest.mark.parametrize("content", [b"", b"{", b'{"window_width": "wide"}', b"\xff\xfe", b"[]"])
def test_damaged_settings_are_the_defaults(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "settings.json").write_bytes(content)
    assert load_settings(tmp_path) == Settings()


def test_a_setting_nobody_knows_is_the_default_and_the_others_stay(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_bytes(
        b'{"direction": "sideways", "theme": "plaid", "left_width": -4, "window_width": "wide",'
        b' "window_height": 700, "motion": false, "recent": ["/runs/a.tine"]}'
    )
    assert load_settings(tmp_path) == Settings(window_height=700, motion=False, recent=["/runs/a.tine"])


def test_settings_of_a_later_version_keep_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_bytes(b'{"theme": "light", "something_new": 1}')
    assert load_settings(tmp_path).theme == "light"


def test_positions_are_remembered_by_step_and_direction(tmp_path: Path) -> None:
    store = PositionStore(tmp_path, now=lambda: 5.0)
    assert store.positions("top-to-bottom", ["a"]) == {}
    store.remember("top-to-bottom", {"a": (1.0, 2.0), "b": (3.0, 4.0)})
    store.remember("left-to-right", {"a": (9.0, 9.0)})
    other = PositionStore(tmp_path, now=lambda: 6.0)
    other.remember("top-to-bottom", {"b": None, "c": (5.5, -6.5)})
    assert store.positions("top-to-bottom", ["a", "b", "c", "d"]) == {"a": (1.0, 2.0), "c": (5.5, -6.5)}
    assert store.positions("left-to-right", ["a"]) == {"a": (9.0, 9.0)}


def test_the_oldest_positions_are_pruned(tmp_path: Path) -> None:
    now = [0.0]
    store = PositionStore(tmp_path, now=lambda: now[0], most=3)
    for name in "abcde":
        now[0] += 1.0
        store.remember("top-to-bottom", {name: (1.0, 1.0)})
    assert list(store.positions("top-to-bottom", "abcde")) == ["c", "d", "e"]


def test_a_damaged_side_store_is_empty_and_can_be_written_again(tmp_path: Path) -> None:
    (tmp_path / "positions.json").write_bytes(b"[1, 2")
    store = PositionStore(tmp_path, now=lambda: 0.0)
    assert store.positions("top-to-bottom", ["a"]) == {}
    store.remember("top-to-bottom", {"a": (1.0, 2.0)})
    assert store.positions("top-to-bottom", ["a"]) == {"a": (1.0, 2.0)}


# --- the list of runs -------------------------------------------------------------------------------------------------


def row(name: str, created_at: float = 0.0, source: str = "", **fields: object) -> RunSummary:
    return RunSummary(
        Path(f"{name}.tine"),
        run_id=name,
        title=name,
        created_at=created_at,
        forked_from=(source,) if source else (),
        **fields,  # type: ignore[arg-type]
    )


def test_forks_stand_below_their_source() -> None:
    #  old             new (newest family first)
    #  ├ fork          lost: its source is not here
    #  │  └ again
    #  └ late
    rows = family_order(
        [
            row("late", 5, "old"),
            row("again", 4, "fork"),
            row("old", 1),
            row("fork", 3, "old"),
            row("new", 9),
            row("lost", 2, "gone"),
        ]
    )
    assert [(found.title, found.depth) for found in rows] == [
        ("new", 0),
        ("lost", 0),
        ("old", 0),
        ("fork", 1),
        ("again", 2),
        ("late", 1),
    ]


def test_runs_that_name_each_other_as_source_are_all_listed_once() -> None:
    rows = family_order([row("a", 1, "b"), row("b", 2, "a"), row("c", 3, "c")])
    assert sorted(found.title for found in rows) == ["a", "b", "c"]


ROW = RunSummary(
    Path("deep research.tine"),
    run_id="r-1",
    title="deep research",
    status="completed",
    cost=0.5,
    created_at=1_770_000_000.0,  # 2026-02-02
    tags=("demo", "two words"),
    model="claude-sonnet-4",
)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("", True),
        ("deep", True),
        ("deep shallow", False),
        ("'deep research'", True),
        ("tag:demo", True),
        ("tag:DEMO 'tag:two words'", True),
        ("tag:demo tag:other", False),
        ("model:SONNET", True),
        ("model:opus", False),
        ("status:Completed", True),
        ("status:complete", False),
        ("cost:0.5", True),
        ("cost:>0.5", True),
        ("cost:>=0.6", False),
        ("cost:<0.5", True),
        ("cost:0.1..0.4", False),
        ("cost:..0.5", True),
        ("cost:0.5..", True),
        ("after:2026-02-01", True),
        ("after:2026/02/03", False),
        ("before:2026-02-02T23:59:59", True),
        ("unknown:x", False),
        ("tag:", False),
        ("cost:nan", True),
        ("-shallow", True),
        ("-deep", False),
        ("-tag:demo", False),
        ("/de+p/", True),
        ("/^deep$/", False),
        ("id:R-", True),
        ("kind:tool", False),
        ("-kind:tool", False),
    ],
)
def test_the_filter_understands_the_query_grammar(text: str, fits: bool) -> None:
    assert matches(parse_query(text), ROW) is fits


QUERIES = json.loads((Path(__file__).parent.parent.parent / "data" / "vectors.json").read_text(encoding="utf-8"))[
    "query"
]


@pytest.mark.parametrize("vector", QUERIES, ids=[repr(vector["q"]) for vector in QUERIES])
def test_queries_mean_what_they_mean_to_the_package(vector: dict[str, object]) -> None:
    if "error" in vector:
        with pytest.raises(ValueError, match=r".+"):
            parse_query(str(vector["q"]))
        return
    query = parse_query(str(vector["q"]))

    def only(field: str, part: str = "text") -> object:
        found = [value for one in query.of(field) if (value := getattr(one, part)) is not None]
        assert len(found) < 2
        return (found[0] if found[0] == found[0] else "NaN") if found else None

    found = {
        "after": only("after", "least"),
        "before": only("before", "most"),
        "cost_max": only("cost", "most"),
        "cost_min": only("cost", "least"),
        **{field: only(field) for field in ("harness", "model", "provider", "status")},
        "tags": [one.text for one in query.of("tag")],
        "text": [one.text for one in query.of("text")],
    }
    assert found == vector["parsed"]
    assert not any(one.negated for one in query.conditions)


@pytest.mark.parametrize("text", ["'open", "cost:much", "after:yesterday"])
def test_a_query_that_makes_no_sense_says_so(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_query(text)


def test_an_unreadable_run_is_found_by_name_only() -> None:
    broken = RunSummary(Path("x.tine"), title="x", unreadable="not a document")
    assert matches(parse_query("x"), broken)
    assert not matches(parse_query("cost:0"), broken)


def test_no_question_is_asked_that_has_no_answer() -> None:
    for choices in ((), (CANCEL,)):
        with pytest.raises(ValueError, match="no answer"):
            Confirm("Export as png", "What goes into card.png?", choices)
    assert Confirm("Save?", "It has changes.", ("Save", CANCEL)).choices == ("Save", CANCEL)
