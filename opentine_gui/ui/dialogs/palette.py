"""The command palette: finds actions by name, steps by title and by the beginning of an id, runs by title."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.folder.run_rows import runs_called
from opentine_gui.app.inspect.title_search import Titles, TitleSearch, read_titles, steps_with_id
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean_id
from opentine_gui.scene.theme import Theme
from opentine_gui.ui.dialogs.palette_rows import Choice, run_row
from opentine_gui.ui.input.first_keys import FirstKeys
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import explain
from opentine_gui.ui.toolkit.widget_theme import dialog_theme

WIDTH, HEIGHT = 640.0, 460.0
MOVES = {"Down": 1, "Up": -1}
LOOK_SECONDS = 0.002  # seconds per frame for searching titles: a large run has too many for one frame


class Palette:
    """Shown while `view.palette` is True; Up, Down, Enter and Esc work while the box has the keyboard."""

    def __init__(self, session: Session, style: Style) -> None:
        self.session, self.style = session, style
        self.choices: list[Choice] = []
        self.current = 0
        self._titles: Titles | None = None
        self._search: TitleSearch | None = None
        self._enter = False
        self._text = ""
        self._open = False
        self._asked: object = None
        self._collected: object = None
        self._first: FirstKeys | None = None
        self._input: int | None = None
        self.window = int(
            dpg.add_window(
                no_title_bar=True,
                no_move=True,
                no_resize=True,
                no_saved_settings=True,
                show=False,
                no_scrollbar=True,
                no_collapse=True,
            )
        )
        style.controls.call(self.window, "Palette")
        self._themed: tuple[Theme | None, int] = (None, 0)
        self.rows = RowList(self.window, style, row_height=28.0, on_click=self._click)

    @property
    def visible(self) -> bool:
        """True while it is open and has the keyboard."""
        return self._open

    @property
    def has_keyboard(self) -> bool:
        """True while it is open: no key reaches the views behind it."""
        return self._open

    def sync(self, pointer: Pointer, width: float, height: float) -> bool:
        """Open, close and repaint as the view says; `width` and `height` are the window's, in pixels.

        True while the search goes on: the next frame continues it.
        """
        view = self.session.view
        if view.palette != self._open:
            self._switch(view.palette, (width, height))
        if not self._open:
            return False
        if self._first is not None:
            self._first.sync()
        self._read_titles()
        if not self._search_titles():
            return False
        self.rows.set_rows(len(self.choices), self._row, (self._collected, self.session.revision, self.current))
        self.rows.sync(pointer)
        self._leave_on_click_outside(pointer)
        return self._search is not None and not self._search.done

    def _search_titles(self) -> bool:
        """Search titles for a while; run a pending Enter once all are searched. False if that closed the palette."""
        document = self.session.active
        shown = (document.number, document.content_revision) if document is not None else None
        asked = (self._text, shown, self._titles is None, self.session.runs.revision)
        if asked != self._asked:
            self._asked = asked
            self._search = TitleSearch(self._titles, self._text) if self._titles is not None else None
        search = self._search
        if search is not None and not search.done:
            search.advance(LOOK_SECONDS)
        done, stage = (True, 0) if search is None else (search.done, search.stage)
        # The previous rows stay until the search is complete, else they would flicker.
        if (asked, stage) != self._collected and (done or stage):
            self._collect(asked)
        if self._enter and done:
            self._enter = False
            self.choose(self.current)
            if self._first is not None:  # it stays open: there is nothing, or nothing that can be done now
                self._first.again()
        return self._open

    # --- opening and closing ---------------------------------------------------------------------------------------

    def _switch(self, wanted: bool, size: tuple[float, float] | None = None) -> None:
        style = self.style
        self._open, self._enter = wanted, False
        if not wanted or size is None:
            dpg.configure_item(self.window, show=False)
            if self._input is not None:
                style.text_inputs.discard(self._input)
                dpg.delete_item(self._input)
                self._input = self._first = None
            return
        if self._themed[0] is not style.theme:
            self._themed = (style.theme, dialog_theme(style))
            dpg.bind_item_theme(self.window, self._themed[1])
        wide, tall = min(style.size(WIDTH), size[0] - 40), min(style.size(HEIGHT), size[1] - 80)
        left, top = (size[0] - wide) / 2, max(size[1] * 0.12, 40)
        dpg.configure_item(self.window, show=True, pos=[int(left), int(top)], width=int(wide), height=int(tall))
        hint = "Find a step, an id or a command"
        self._text = self.session.view.palette_text
        pad = style.whole(10)
        self._input = int(
            dpg.add_input_text(
                parent=self.window,
                hint=hint,
                pos=[pad, pad],
                width=int(wide) - 2 * pad,
                callback=self._typed,
                default_value=self._text,
                auto_select_all=True,
            )
        )
        explain(style, self._input, f"{hint}. Enter goes to the first, Esc leaves")
        style.text_inputs.add(self._input)
        self.rows.place(1, pad + style.size(36), wide - 2, tall - pad - style.size(36) - style.size(6))
        self.rows.scroll_to_top()
        self.current, self._asked, self._collected = 0, None, None
        self._first = FirstKeys(self._input)
        dpg.focus_item(self.window)

    def close(self, *, keeping: bool = False) -> None:
        """Close without doing anything; a press outside lets it keep what was typed, for when it opens again."""
        self.session.view.palette = False
        if not keeping:
            self.session.view.palette_text = ""
        self.session.touch()

    def _leave_on_click_outside(self, pointer: Pointer) -> None:
        left, top = dpg.get_item_pos(self.window)
        wide, tall = dpg.get_item_width(self.window), dpg.get_item_height(self.window)
        inside = left <= pointer.x < left + (wide or 0) and top <= pointer.y < top + (tall or 0)
        pressed = pointer.take("press", "double", "wheel")
        if not inside and any(event.kind == "press" for event in pressed):
            self.close(keeping=True)

    # --- results -----------------------------------------------------------------------------------------------------

    def _record(self) -> RunRecord | None:
        document = self.session.active
        return document.record if document is not None else None

    def _read_titles(self) -> None:
        record = self._record()
        if record is None:
            self._titles = None
            return
        if self._titles is not None and self._titles.graph is record.graph:
            return
        key = "titles"
        if not self.session.jobs.is_running(key):
            self._titles = None

            def done(titles: Titles) -> None:
                self._titles = titles

            def stopped() -> None:
                self._titles = Titles(chosen.graph, (), ())  # else it would be tried again in every frame

            def failed(error: Exception) -> None:
                stopped()
                self.session.notices.add("warning", f"The steps cannot be found by title: {error}", key=key)

            chosen = record
            self.session.jobs.submit(
                key, lambda progress, cancelled: read_titles(chosen, progress, cancelled), done, failed,
                title="Reading the titles of the steps", priority=2, stopped=stopped,
            )  # fmt: skip

    def _collect(self, asked: object) -> None:
        """Build the rows from what was found so far."""
        self._collected = (asked, self._search.stage if self._search is not None else 0)
        text, record = self._text, self._record()
        choices: list[Choice] = []
        actions = [Choice(action=action) for action in self.session.actions.search(text)]
        steps: list[Choice] = []
        if record is not None and text.strip():
            by_id = steps_with_id(record.graph, text)
            steps = [Choice(step=position, by_id=True) for position in by_id]
            if self._search is not None:
                known = set(by_id)
                steps += [Choice(step=position) for position in self._search.found if position not in known]
        words = text.casefold().split()
        plain = [choice for choice in actions if choice.action is not None and choice.action.says(words)]
        if words:
            plain.sort(key=lambda choice: self._rank(choice, words))
            plain = [shown for choice in plain for shown in self._with_ways(choice, words)]
        loose = [choice for choice in actions if choice not in plain] if len(plain) < 4 else []
        loose.sort(key=lambda choice: not self._can_run(choice))
        if plain:
            choices += [Choice(heading="Commands"), *(plain[:8] if steps else plain)]
        if steps:
            choices += [Choice(heading="Steps"), *steps]
        if runs := [Choice(run=run) for run in runs_called(self.session.runs.rows, words)]:
            choices += [Choice(heading="Runs"), *runs]
        if loose:
            choices += [Choice(heading="Commands with these letters"), *loose[:12]]
        if not choices:
            reading = record is not None and self._titles is None
            sentence = "Still reading what the steps say…" if reading else "Nothing has that in its name, title or id"
            choices.append(Choice(heading=sentence))
        self.choices = choices
        self.current = next((place for place, choice in enumerate(choices) if not choice.heading), 0)
        self.rows.scroll_to_top()

    def _rank(self, choice: Choice, words: list[str]) -> int:
        """0 for what the typed text names and can run, 1 for what it begins and cannot; then 2 and 3 for all others."""
        assert choice.action is not None
        title = choice.action.title.casefold()
        begun = title.startswith(words[0]) or bool(self._fitting(choice, words))
        named = begun or all(word in title for word in words)
        if self._can_run(choice):
            return 0 if named or choice.action.is_looked_for_by(words) else 2
        return 1 if begun else 3

    def _can_run(self, choice: Choice) -> bool:
        return choice.action is not None and self.session.enabled(choice.action.id) is None

    def _fitting(self, choice: Choice, words: list[str]) -> list[Choice]:
        """The choices of an action in which every typed word begins a word of the choice or of the action's title."""
        found: list[Choice] = []
        for below in self._ways(choice):
            own = below.way.label.casefold().split() if below.way is not None else []
            if not any(name.startswith(word) for name in own for word in words):
                continue
            names = (*own, *(choice.action.title.casefold().split() if choice.action is not None else ()))
            if all(any(name.startswith(word) for name in names) for word in words):
                found.append(below._replace(named=True))
        return found

    def _with_ways(self, choice: Choice, words: list[str]) -> list[Choice]:
        """An action with its choices: those that were typed go before it; if its name was typed, all follow it."""
        assert choice.action is not None
        fitting = self._fitting(choice, words)
        if fitting:
            return [*fitting, choice]
        named = any(word in choice.action.title.casefold() for word in words)
        return [choice, *(self._ways(choice) if named else ())]

    def _ways(self, choice: Choice) -> list[Choice]:
        """The choices of an action that can run, without its present one."""
        action = choice.action
        if action is None or action.choices is None or self.session.enabled(action.id) is not None:
            return []
        return [Choice(action=action, way=way) for way in action.choices(self.session) if not way.here]

    def _row(self, index: int) -> Row:
        if index >= len(self.choices):
            return Row(())
        choice, theme = self.choices[index], self.style.theme
        if choice.heading:
            return Row((Span(choice.heading, theme.faint, "title"),), heading=True)
        selected = index == self.current
        if choice.action is not None:
            action = choice.action
            if choice.way is not None:
                if choice.named:
                    name = f"{action.menu}: {action.title} › {choice.way.label}"
                    return Row((Span(name, theme.text),), selected=selected, hint=f"{action.title}: {choice.way.label}")
                words = Span(choice.way.label, theme.quiet, at=28)
                return Row((words,), selected=selected, hint=f"{action.title}: {choice.way.label}")
            reason = self.session.enabled(action.id)
            name = f"{action.menu}: {action.title}" if action.menu else action.title
            left = [Span(name, theme.text if reason is None else theme.faint)]
            if reason is not None:
                left.append(Span(reason, theme.faint, size=SMALL + 0.5))
            elif selected:
                left.append(Span(action.description, theme.quiet, size=SMALL + 0.5))
            right = (Span(action.key, theme.quiet, "mono"),) if action.key else ()
            return Row(tuple(left), right, selected=selected, hint=reason or action.description)
        if choice.run is not None:
            return run_row(choice.run, theme, selected=selected)
        record = self._record()
        if record is None or choice.step is None or choice.step >= len(record.graph):
            return Row(())
        graph = record.graph
        kind = graph.v3_kinds.get(choice.step, graph.kinds[choice.step].value)
        color = theme.accent if choice.by_id else theme.quiet
        right = (Span(clean_id(graph.ids[choice.step]), color, "mono"),)
        titles = self._titles
        if titles is not None and titles.graph is graph:
            name = titles.shown[choice.step]
        else:
            name = title(graph.step(choice.step))
        return Row((Span(name, theme.text),), right, glyph=kind, selected=selected)

    # --- input -------------------------------------------------------------------------------------------------------

    def _typed(self, _sender: Any, text: str, _user: Any) -> None:
        if self._first is not None and self._first.kept:
            text = self._first.text
        self._enter = self._enter and text == self._text
        self._text = text
        self.session.view.palette_text = text
        self.session.touch()

    def handle_key(self, chord: str) -> None:
        """Handle a key; while open, the palette gets all of them."""
        if not self._open:
            return
        action = self.session.actions.by_key(chord)
        if chord == "Esc" or (action is not None and action.id == "view.palette"):
            self.close()
            self._switch(False)
        elif chord == "Enter":
            # Enter means the text that was typed, not the previous rows: it waits until the new rows are there. What
            # the box says of its last letters may come after the key, so the box is asked.
            if self._first is not None:
                self._text = self._first.text
            self._enter = True
        elif chord in MOVES:
            self._move(MOVES[chord])
        elif chord in ("PageDown", "PageUp"):
            self._move((self.rows.page - 1) * (1 if chord == "PageDown" else -1))
        elif self._first is not None:
            self._first.catch(chord)

    def _move(self, by: int) -> None:
        if not self.choices:
            return
        place = min(max(self.current + by, 0), len(self.choices) - 1)
        if self.choices[place].heading:
            place += 1 if by > 0 or place == 0 else -1
        if 0 <= place < len(self.choices) and not self.choices[place].heading:
            self.current = place
            self.rows.reveal(0 if place == 1 else place)

    def _click(self, index: int, _event: InputEvent) -> None:
        self.choose(index)

    def choose(self, index: int) -> None:
        """Carry out a row. The palette stays open on an unavailable command, which says why."""
        if not 0 <= index < len(self.choices):
            return
        choice = self.choices[index]
        act: Callable[[], None] | None = None
        if choice.action is not None:
            self.current = index
            if self.session.enabled(choice.action.id) is None:
                action_id, arguments = choice.action.id, choice.way.arguments if choice.way is not None else {}

                def act() -> None:
                    self.session.invoke(action_id, **arguments)

        elif choice.run is not None:
            path = choice.run.path

            def act() -> None:
                self.session.invoke("runs.open", run=path)

        elif choice.step is not None:
            record = self._record()
            if record is not None and choice.step < len(record.graph):
                identity = record.graph.ids[choice.step]

                def act() -> None:
                    self.session.invoke("select.step", step=identity, reveal=True)

        if act is not None:
            self.close()
            self._switch(False)
            act()
