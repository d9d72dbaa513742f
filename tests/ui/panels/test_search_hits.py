"""From hit to hit with a real keyboard and mouse: within the text of a step first, then in the next one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from opentine_gui.core import StepKind, write
from opentine_gui.scene.draw_list import Primitive, Rect
from opentine_gui.scene.reading_colours import ground
from opentine_gui.ui.panels.search.panel import SearchPanel
from opentine_gui.ui.reading.page_drawing import draw_rows
from tests.core.analysis.call_runs import Recording
from tests.ui.opened import Opened

pytestmark = pytest.mark.window
FAR = 120
"""Lines between two hits, which are never in view together."""


def recorded() -> Recording:
    """A call with three hits far apart in its result and one in its command; a hit in a thought; one in an answer."""
    run = Recording()
    lines = [f"line {number}" for number in range(3 * FAR)]
    for place in range(3):
        lines[place * FAR + 60] = f"pin number {place}"
    run.call("Bash", {"command": "grep pin"}, "\n".join(lines))
    thought = {"text": "It is there", "thinking": "\n".join(["so"] * 90 + ["the pin"])}
    run.add(StepKind.MODEL, {}, outputs=thought, model_info="a-model")
    run.say("a pin, and a pin")
    return run


def rows_drawn(opened: Opened) -> list[Primitive]:
    page, view = opened.window.inspector.step.content.page, opened.window.inspector.step.content
    return draw_rows(page, page.rows(), opened.window.style, 0.0, view.textures, {})


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    write(tmp_path / "run.tine", recorded().record())
    window = Opened(tmp_path)
    window.keyboard.focus()
    window.open(tmp_path / "run.tine")
    window.session.invoke("fold.every_step", shown=True)
    window.rest()
    window.keyboard.press("ctrl+f")
    window.keyboard.type("pin")
    search = window.session.search
    window.until(lambda: search.text == "pin" and search.steps == 3 and not search.running, "what was found")
    window.rest()
    yield window
    window.close()


def panel_of(opened: Opened) -> SearchPanel:
    panel = opened.window.panels["search"]
    assert isinstance(panel, SearchPanel)
    return panel


def marked(opened: Opened) -> str:
    """The line with the hit that is brighter than the others, where it is in view."""
    page = opened.window.inspector.step.content.page
    if page.current is None:
        return ""
    begin, end = page.current
    assert page.line(begin.line).text[begin.offset : end.offset].casefold() == "pin"
    in_view = {row.line for row in page.rows()[: page.rows_in_view]}
    return page.line(begin.line).text[begin.offset :] if begin.line in in_view else ""


def position(opened: Opened) -> int:
    record, primary = opened.document.record, opened.document.selection.primary
    return record.graph.index(primary) if record is not None and primary is not None else -1


def place(opened: Opened) -> str:
    return panel_of(opened)._place


WALK = [
    (0, "pin number 0", "1 of 3 in Result · step 1 of 3"),
    (0, "pin number 1", "2 of 3 in Result · step 1 of 3"),
    (0, "pin number 2", "3 of 3 in Result · step 1 of 3"),
    (0, 'pin"', "1 of 1 in Call · step 1 of 3"),  # in the command, behind the other tab
    (1, "pin", "1 of 1 in Result · step 2 of 3"),  # in a thought, which is folded until then
    (2, "pin, and a pin", "1 of 2 in Result · step 3 of 3"),
    (2, "pin", "2 of 2 in Result · step 3 of 3"),
]


def stands(opened: Opened, step: tuple[int, str, str]) -> None:
    opened.until(lambda: (position(opened), marked(opened), place(opened)) == step, f"{step}")


def test_f3_goes_through_the_hits_of_a_step_in_view_and_marked_and_then_to_the_next(opened: Opened) -> None:
    for step in [*WALK, WALK[0]]:
        opened.keyboard.press("F3")
        stands(opened, step)
    for step in [*reversed(WALK), WALK[-1]]:
        opened.keyboard.press("shift+F3")
        stands(opened, step)


def test_f3_pressed_fast_counts_every_press(opened: Opened) -> None:
    for _ in range(5):
        opened.keyboard.press("F3")
    stands(opened, WALK[4])


def test_alt_f3_and_the_rows_go_by_steps_and_the_arrows_and_enter_by_hits(opened: Opened) -> None:
    opened.keyboard.press("Down")
    stands(opened, WALK[0])
    opened.keyboard.press("Return")
    stands(opened, WALK[1])
    opened.keyboard.press("alt+F3")
    stands(opened, WALK[4])
    opened.keyboard.press("Up")
    stands(opened, WALK[0])
    opened.mouse.click(*arrow(opened, "Next hit"))
    stands(opened, WALK[1])
    opened.mouse.click(*arrow(opened, "Previous hit"))
    stands(opened, WALK[0])


def arrow(opened: Opened, name: str) -> tuple[float, float]:
    return next(control for control in opened.window.controls() if control.name == name).middle


def test_in_the_reading_view_the_hits_of_the_call_follow_those_of_the_result(opened: Opened) -> None:
    opened.keyboard.press("F3")
    stands(opened, WALK[0])
    opened.session.invoke("inspect.read")
    opened.rest()
    page = opened.window.reading.step.content.page
    for number in range(4):
        opened.keyboard.press("F3")
        opened.until(
            lambda number=number: place(opened) == f"hit {number + 1} of 4 · step 1 of 3" and page.current is not None,
            f"hit {number}",
        )
    assert page.current is not None and page.current[0].line in {row.line for row in page.rows()}
    opened.keyboard.press("F3")
    opened.until(lambda: position(opened) == 1, "the next step")


def test_the_mark_goes_with_the_search(opened: Opened) -> None:
    opened.keyboard.press("F3")
    stands(opened, WALK[0])
    opened.keyboard.press("Escape")
    page = opened.window.inspector.step.content.page
    opened.until(lambda: page.current is None and page.needle is None, "nothing lit")


def test_a_hit_in_a_piece_of_code_is_lit_over_the_ground_of_that_code(opened: Opened) -> None:
    run = recorded()
    run.say("look at `the pin` of it")
    path = opened.session.working_folder / "code.tine"
    write(path, run.record(run_id="code"))
    opened.open(path)
    opened.session.invoke("select.step", step=run.steps[-1].id)
    opened.rest()
    opened.keyboard.press("F3")
    opened.until(lambda: marked(opened) and position(opened) == 3, "the hit")
    theme = opened.window.style.theme
    drawn = [item for item in rows_drawn(opened) if isinstance(item, Rect)]
    code = next(place for place, item in enumerate(drawn) if item.fill == ground(theme, "code"))
    lit = next(place for place, item in enumerate(drawn) if item.fill == ground(theme, "current_match"))
    assert code < lit and drawn[code].x0 < drawn[lit].x0 and drawn[lit].x1 <= drawn[code].x1
