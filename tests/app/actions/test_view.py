"""The direction, panels, themes and the palette."""

from __future__ import annotations

from opentine_gui.app.document.camera.framing import camera_of_all
from opentine_gui.layout import Direction
from opentine_gui.scene.space.camera import Camera
from tests.app.actions.conftest import cases_of, covers, opened, selected
from tests.app.conftest import Bench
from tests.conftest import named


@covers("view.direction")
def turns_the_layout_and_keeps_positions_of_each_direction(bench: Bench) -> None:
    record = opened(bench)
    a = named(record, "a")
    bench.do("canvas.move_steps", pins={a: (900.0, -50.0)})
    bench.do("view.direction")
    layout = bench.active.picture.layout
    assert layout is not None
    assert layout.direction is Direction.LEFT_TO_RIGHT
    assert layout.position(a) != (900.0, -50.0)
    assert layout.position(named(record, "b"))[0] > layout.position(a)[0]
    bench.do("view.direction")
    assert bench.active.picture.layout is not None
    assert bench.active.picture.layout.position(a) == (900.0, -50.0)


@covers("view.tidy")
def lays_out_anew_and_leaves_moved_cards(bench: Bench) -> None:
    record = opened(bench)
    a = named(record, "a")
    bench.do("canvas.move_steps", pins={a: (900.0, -500.0)})
    before = bench.active.picture.base_layout
    bench.do("view.tidy")
    assert bench.active.picture.base_layout is not before
    assert bench.active.picture.layout is not None
    assert bench.active.picture.layout.position(a) == (900.0, -500.0)


@covers("view.panels")
def hides_and_shows_panels(bench: Bench) -> None:
    bench.do("view.panels")
    assert not bench.session.view.panels
    bench.do("view.panels")
    assert bench.session.view.panels


@covers("view.minimap")
def hides_the_minimap_and_remembers_it(bench: Bench) -> None:
    bench.do("view.minimap")
    assert not bench.session.view.minimap
    assert not bench.session.settings.minimap


@covers("view.theme")
def changes_to_a_theme_that_is_named_chosen_or_picked_from_the_submenu(bench: Bench) -> None:
    bench.do("view.theme", name="light")
    assert bench.session.settings.theme == "light"
    bench.do("view.theme", "High contrast")
    assert bench.session.view.theme == "high-contrast"
    choices = bench.session.actions["view.theme"].choices
    assert choices is not None
    assert [(choice.label, choice.here) for choice in choices(bench.session)] == [
        ("Dark", False), ("Light", False), ("High contrast", True),
    ]  # fmt: skip
    bench.do("view.theme", **choices(bench.session)[0].arguments)
    assert bench.session.view.theme == "dark"


@covers("view.scale")
def takes_one_of_the_scales(bench: Bench) -> None:
    bench.do("view.scale", to=1.5)
    assert (bench.session.view.scale, bench.session.settings.scale) == (1.5, 1.5)
    bench.do("view.scale", "200 %")
    assert bench.session.settings.scale == 2.0
    bench.do("view.scale", "As the display")
    assert (bench.session.view.scale, bench.session.settings.scale) == (0.0, 0.0)


@covers("view.file_dialogs")
def changes_whose_file_dialogs_are_used(bench: Bench) -> None:
    bench.do("view.file_dialogs")
    assert bench.session.settings.file_dialogs == "own"
    bench.do("view.file_dialogs", system=True)
    assert bench.session.settings.file_dialogs == "system"


@covers("view.motion")
def moves_the_camera_smoothly_when_wanted(bench: Bench) -> None:
    opened(bench)
    bench.active.picture.set_camera(Camera(9000.0, 9000.0, 0.7))
    bench.do("view.motion")
    bench.do("view.fit")
    goal = camera_of_all(bench.active.picture, bench.session.viewport)
    assert bench.active.picture.camera != goal
    bench.clock.now += 0.1
    assert bench.step()
    assert bench.active.picture.camera not in (goal, Camera(9000.0, 9000.0, 0.7))
    bench.clock.now += 0.2
    bench.step()
    assert bench.active.picture.camera == goal


@covers("view.palette")
def opens_and_closes_the_palette(bench: Bench) -> None:
    bench.do("view.palette", text="fork")
    assert bench.session.view.palette
    assert bench.session.view.palette_text == "fork"
    bench.do("view.palette")
    assert not bench.session.view.palette


@covers("view.inspector_wide")
def opens_the_inspector_wide_on_a_step(bench: Bench) -> None:
    record = opened(bench)
    bench.do("view.inspector_wide", step=named(record, "c"))
    assert bench.session.view.inspector_wide
    assert selected(bench) == ["c"]


@covers("view.dismiss")
def closes_one_thing_at_a_time(bench: Bench) -> None:
    opened(bench)
    bench.do("view.palette")
    bench.do("run.fork")
    bench.do("view.dismiss")
    assert not bench.session.view.palette
    assert bench.session.proposal is not None
    bench.do("view.dismiss")
    assert bench.session.proposal is None
    assert selected(bench) == ["a"]
    bench.do("view.dismiss")
    assert selected(bench) == []


test_the_action_does_what_it_says = cases_of(__name__)


def test_escape_beside_a_form_says_that_what_was_typed_is_kept(bench: Bench) -> None:
    opened(bench)
    bench.do("run.add_step", step=bench.record.graph.ids[0])
    bench.do("view.dismiss")
    assert bench.session.proposal is None
    assert bench.notices() == [], "nothing was typed"
    bench.do("run.add_step", step=bench.record.graph.ids[0])
    bench.do("proposal.change", inputs='{"prompt": "words"}')
    bench.do("view.dismiss")
    assert bench.session.proposal is None
    assert bench.notices("info") == ["What was typed is kept until this tab closes."]
