"""Integration with the desktop: the display's scale, its file dialogs, and fonts for all scripts."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.session import Session
from opentine_gui.core import Run
from opentine_gui.ui import main
from opentine_gui.ui.dialogs.file_chooser import FileChooser
from opentine_gui.ui.dialogs.prompts import SystemDialogPlaceholder
from opentine_gui.ui.frame import FrameLoop
from opentine_gui.ui.platform import display
from opentine_gui.ui.platform.clipboard import hand_over
from opentine_gui.ui.platform.display import window_room
from opentine_gui.ui.platform.x11 import X11
from opentine_gui.ui.window import MainWindow
from tests.small_font import small_font
from tests.ui.opened import Opened

DEMO = Path(__file__).parents[3] / "assets" / "demo" / "research-01.tine"
Script = Iterator[None]


class ScriptedLoop:
    """Runs the program's own loop with a script, a generator that is advanced after every frame."""

    def __init__(self, script: Callable[[FrameLoop, MainWindow, Session], Script]) -> None:
        self.script = script
        self.running: Script | None = None
        self.loop: FrameLoop | None = None
        self.ended = False

    def frame(self, loop: FrameLoop, render: Callable[[], None]) -> None:
        self.loop = loop
        loop.strict = True
        if self.running is None:
            self.running = self.script(loop, loop.window, loop.session)
        render()
        assert loop.frames < 600, "the script did not end"
        if next(self.running, self) is self:
            self.ended = loop.session.quit = True

    @property
    def window(self) -> MainWindow:
        assert self.loop is not None
        return self.loop.window


def follow_script(
    monkeypatch: pytest.MonkeyPatch, script: Callable[[FrameLoop, MainWindow, Session], Script]
) -> ScriptedLoop:
    """Let the next `main.run` follow a script and quit when it ends."""
    scripted = ScriptedLoop(script)
    render = FrameLoop.render_frame
    monkeypatch.setattr(FrameLoop, "render_frame", lambda loop: scripted.frame(loop, lambda: render(loop)))
    return scripted


def fake_zenity(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """Install a fake zenity that records its arguments and then runs `script`."""
    folder.mkdir()
    program = folder / "zenity"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/words"\n{script}\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "GNOME")
    return folder


def drawn_below(node: int) -> Iterator[int]:
    """All that is drawn below a node, that of cards and other pieces included."""
    for item in dpg.get_item_children(node, 2) or ():
        yield item
        yield from drawn_below(item)


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_everything_is_as_much_larger_as_the_scale_says(
    scale: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, object] = {}

    def script(loop: FrameLoop, window: MainWindow, session: Session) -> Script:
        while not window.settled():
            yield
        yield
        seen["client"] = (dpg.get_viewport_client_width(), dpg.get_viewport_client_height())
        seen["view"] = (session.viewport.width, session.viewport.height)
        seen["menu"] = window.menus.height
        regions = window.arrangement.regions
        assert regions is not None
        seen["left"] = regions.left.width
        document = session.active
        assert document is not None and document.picture.camera is not None
        seen["zoom"] = document.picture.camera.zoom
        drawn = map(dpg.get_item_configuration, drawn_below(window.canvas.world.node))
        seen["text"] = sorted({round(float(item["size"]) / scale, 1) for item in drawn if "text" in item})

    follow_script(monkeypatch, script)
    monkeypatch.setenv("GDK_SCALE", str(scale))
    monkeypatch.setattr(main, "window_room", lambda: None)
    assert main.run([DEMO]) == 0
    assert seen["client"] == (1440 * scale, 900 * scale)
    assert seen["left"] == pytest.approx(260 * scale, abs=1)
    assert seen["menu"] == pytest.approx(36 * scale, abs=2 * scale)
    # In design pixels the canvas, the camera and text sizes are the same on every display.
    # The height is 900 without the menu bar of 36, the time strip with lanes, for the run has a sub-agent, of 76,
    # the status bar of 30 and two hairlines; the width is 1440 without panels of 260 and 380 and two hairlines.
    assert seen["view"] == pytest.approx((798, 756), abs=4)
    assert seen["zoom"] == pytest.approx(0.605, abs=0.005)
    assert seen["text"] and max(seen["text"]) < 20  # type: ignore[type-var,arg-type]


def test_a_window_is_wholly_on_the_display(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, ...]] = []

    def script(loop: FrameLoop, window: MainWindow, session: Session) -> Script:
        yield
        place = (int(side) for side in dpg.get_viewport_pos())
        seen.append((*place, dpg.get_viewport_client_width(), dpg.get_viewport_client_height()))

    follow_script(monkeypatch, script)
    monkeypatch.setenv("GDK_SCALE", "3")
    room = window_room()
    assert room is not None and room[2:] < (1440 * 3, 900 * 3)
    assert main.run([DEMO]) == 0
    assert seen == [tuple(room)]


def test_a_window_leaves_its_frame_and_the_desktops_bars_their_room(monkeypatch: pytest.MonkeyPatch) -> None:
    properties = {
        "_NET_WORKAREA": {1: [0, 30, 1600, 970, 0, 30, 1600, 970]},
        "_NET_SUPPORTING_WM_CHECK": {1: [7]},
        "_NET_FRAME_EXTENTS": {5: [4, 4, 38, 4], 6: [0, 0, 0]},
    }

    class Screen:
        root = 1

        def size(self) -> tuple[int, int]:
            return (1600, 1000)

        def top_windows(self) -> list[int]:
            return [5, 6]

        def numbers(self, window: int, name: str) -> list[int]:
            return properties.get(name, {}).get(window, [])

    assert display._room_on_x11(Screen()) == (4, 68, 1592, 928)  # type: ignore[arg-type]
    del properties["_NET_SUPPORTING_WM_CHECK"]
    assert display._room_on_x11(Screen()) == (0, 30, 1600, 970), "no window manager, no frames"  # type: ignore[arg-type]
    properties.clear()
    assert display._room_on_x11(Screen()) == (0, 0, 1600, 1000)  # type: ignore[arg-type]


def test_another_scale_keeps_the_window_and_unsaved_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def script(loop: FrameLoop, window: MainWindow, session: Session) -> Script:
        while not window.settled():
            yield
        session.invoke("select.all")
        yield
        size = (dpg.get_viewport_client_width(), dpg.get_viewport_client_height())
        for scale in (2.0, 1.25, 1.0):
            session.invoke("view.scale", to=scale)
            yield
            while scripted.window.style.scale != scale or not scripted.window.settled():
                yield
            yield
            yield
            assert (dpg.get_viewport_client_width(), dpg.get_viewport_client_height()) == size
            assert session.viewport.width == pytest.approx(scripted.window.canvas.area.width / scale)
            assert session.active is not None and len(session.active.selection) == 27
            assert scripted.window.canvas.drawn > 0

    scripted = follow_script(monkeypatch, script)
    assert main.run([DEMO]) == 0
    assert scripted.ended


def test_another_scale_leaves_nothing_of_the_old_views_behind(tmp_path: Path) -> None:
    opened = Opened(tmp_path)
    try:
        found = []
        for scale in (1.5, 1.0, 1.5, 1.0):
            opened.start_again(scale=scale)
            kinds = Counter(map(dpg.get_item_type, dpg.get_all_items()))
            found.append(
                {kind: kinds[f"mvAppItemType::{kind}"] for kind in ("mvTheme", "mvTextureRegistry", "mvWindowAppItem")}
            )
        assert found[0] == found[1] == found[2] == found[3]
        assert min(found[0].values()) > 0
    finally:
        opened.close()


def test_a_click_hits_the_card_it_is_on_at_every_scale(tmp_path: Path) -> None:
    shutil.copy(DEMO, tmp_path)
    opened = Opened(tmp_path, scale=1.75)
    try:
        document = opened.open(tmp_path / DEMO.name)
        assert document.record is not None
        for step in document.record.graph.ids[1:4]:
            opened.mouse.click(*opened.point(step))
            opened.until(lambda step=step: document.selection.primary == step, "the card selected")
    finally:
        opened.close()


def test_the_desktops_dialog_is_asked_and_its_answer_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "an odd\nname — 漢字 '$(x)'.tine"
    shutil.copy(DEMO, odd)
    (tmp_path / "answer").write_text(f"{odd}//{DEMO}\n", encoding="utf-8")
    wait = f'while [ ! -e "{tmp_path}/go" ]; do sleep 0.02; done; cat "{tmp_path}/answer"'
    words = fake_zenity(tmp_path / "bin", monkeypatch, wait) / "words"

    def script(loop: FrameLoop, window: MainWindow, session: Session) -> Script:
        session.invoke("file.open")
        while not words.exists():
            yield
        before = loop.frames
        while loop.frames < before + 5:  # the window keeps running while the dialog is open
            assert window.prompter.visible
            yield
        (tmp_path / "go").touch()
        while len(session.documents) < 2:
            yield
        while session.busy:
            yield

    scripted = follow_script(monkeypatch, script)
    assert main.run() == 0
    assert scripted.ended and scripted.loop is not None
    assert {document.path for document in scripted.loop.session.documents} == {odd, DEMO}


def test_cancelling_the_desktops_dialog_changes_nothing_and_its_crash_opens_our_chooser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fake_zenity(tmp_path / "bin", monkeypatch, "exit 1")

    def script(loop: FrameLoop, window: MainWindow, session: Session) -> Script:
        session.invoke("file.open")
        yield
        while window.prompter.visible:
            yield
        assert session.documents == []
        (folder / "zenity").write_text("#!/bin/sh\nexit 77\n", encoding="utf-8")
        session.invoke("file.open")
        yield
        while not isinstance(window.prompter._dialog, FileChooser):
            assert window.prompter.visible
            yield

    assert follow_script(monkeypatch, script) is not None
    assert main.run() == 0


def test_the_desktops_dialog_closes_with_the_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_zenity(tmp_path / "bin", monkeypatch, "exec sleep 600")
    asked: list[SystemDialogPlaceholder] = []

    def script(loop: FrameLoop, window: MainWindow, session: Session) -> Script:
        session.invoke("file.open")
        while not isinstance(window.prompter._dialog, SystemDialogPlaceholder):
            yield
        asked.append(window.prompter._dialog)
        assert not asked[0].dialog.poll()

    follow_script(monkeypatch, script)
    assert main.run() == 0
    assert asked[0].dialog._program.returncode is not None


def test_our_file_chooser_asks_where_the_desktop_has_none_or_the_user_prefers_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_zenity(tmp_path / "bin", monkeypatch, "exec sleep 60")

    def script(loop: FrameLoop, window: MainWindow, session: Session) -> Script:
        session.invoke("file.open")
        while not isinstance(window.prompter._dialog, SystemDialogPlaceholder):
            yield
        outside = window.prompter._dialog
        outside.ours()  # "Choose here instead"
        assert isinstance(window.prompter._dialog, FileChooser)
        assert outside.dialog.answered
        window.prompter._dialog.reply(None)
        session.invoke("view.file_dialogs", system=False)
        session.invoke("file.open")
        while window.prompter._dialog is None:
            yield
        assert isinstance(window.prompter._dialog, FileChooser)
        window.prompter._dialog.reply(None)
        session.invoke("view.file_dialogs", system=True)
        monkeypatch.setenv("PATH", str(tmp_path))
        session.invoke("file.open")
        yield
        while window.prompter._dialog is None:
            yield
        assert isinstance(window.prompter._dialog, FileChooser)

    scripted = follow_script(monkeypatch, script)
    assert main.run() == 0
    assert scripted.ended


def test_a_mixed_line_is_drawn_by_several_fonts_in_cards_lists_and_inspector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fonts = tmp_path / "share" / "fonts"
    fonts.mkdir(parents=True)
    small_font(fonts / "NotoSansSC-Regular.otf", "漢字")
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "share"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    run = Run("characters", created_at=1.0)
    step = run.add_step("think", {"text": "plain 漢字 mixed 🙂"}, {"text": "漢 again"}, timestamp=1.0)
    path = tmp_path / "characters.tine"
    run.save(path)
    opened = Opened(tmp_path)
    try:
        opened.open(path)
        opened.session.invoke("select.step", step=step.id)
        opened.rest()
        characters = opened.window.style.fonts["cjk"]
        places = {
            "card": opened.window.canvas.world.node,
            "list": opened.window.panels["outline"].rows.node,
            "inspector": opened.window.inspector.step.header.node,
        }
        for name, node in places.items():
            texts = {item: str(dpg.get_item_configuration(item).get("text", "")) for item in descendants(node)}
            drawn = [item for item, text in texts.items() if set("漢字") & set(text)]
            assert drawn, f"no such text in the {name}"
            for item in drawn:
                assert set(texts[item]) <= {"漢", "字"}, name
                assert dpg.get_item_font(item) == characters, name
    finally:
        opened.close()


def descendants(node: int) -> Iterator[int]:
    for slot in (1, 2):
        for child in dpg.get_item_children(node, slot) or ():
            yield child
            yield from descendants(child)


def test_what_was_copied_outlives_the_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept"
    keeper = tmp_path / "keeper"
    keeper.write_text(f'#!/bin/sh\necho "$*" > {kept}\ncat >> {kept}\n')
    keeper.chmod(0o755)
    monkeypatch.setattr(main, "hand_over", lambda: hand_over(lambda name: str(keeper) if name == "xsel" else None))

    def script(loop: FrameLoop, window: MainWindow, session: Session) -> Script:
        while session.active is None or session.active.record is None:
            yield
        session.invoke("select.step", step=session.active.record.graph.ids[0])
        session.invoke("edit.copy_id")
        yield
        yield

    follow_script(monkeypatch, script)
    assert main.run([DEMO]) == 0
    step = Run.load(DEMO).steps[0]
    assert kept.read_text() == f"--clipboard --input\n{step.id}"


def test_an_empty_clipboard_is_handed_to_nobody(tmp_path: Path) -> None:
    opened = Opened(tmp_path)
    with X11() as x11:
        assert x11.selection_owner("CLIPBOARD") == 0, "nothing was copied yet"
    looked: list[str] = []
    hand_over(lambda name: looked.append(name))
    opened.close()
    assert looked == []
