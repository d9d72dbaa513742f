"""What each card of a run says, made when the card first comes into view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import msgspec

from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.app.state.annotations import COLOURS, NO_NOTES, NOTHING, Annotations
from opentine_gui.core import Graph, RunRecord, Verification
from opentine_gui.core.analysis.hidden_secrets import hide, hide_in_step
from opentine_gui.core.graph.selection import Selection
from opentine_gui.core.structure.cards import Card
from opentine_gui.core.structure.facts import HUMAN
from opentine_gui.describe.card_marks import BOOKMARK, SEALS, annotation_flags, card_face, ref_flags, without_prices
from opentine_gui.describe.groups.group_face import of_one_step, pause_flag
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.picture.legend import FORK_MARK

MOST_MARKED = 500
"""Steps of a group whose marks in a comparison are looked at."""
MOST_FLAGS = 4
ASKED_LAST = Flag("asked last", "human", hint="What a person said last on the main line.")
MOST_KEPT = 2_000
NONE_FOUND: Mapping[str, tuple[Flag, ...]] = {}
WORDS_HIDDEN = "Words hidden: they may hold a secret"
HasSecrets = Callable[[Sequence[int]], bool]
"""Whether one of some steps may hold what looks like a secret; asked in a frame, it must not look through them."""
MOST_BACK = 5_000
"""Most steps that are searched backwards for what was asked last: a frame waits for it. Farther back only the main line
is searched, which in a run that was merged may be another one.
"""

Name = TypeVar("Name")
Made = TypeVar("Made")


class KeptFaces:
    """Faces kept while the run grows, each with what it was made from: groups by first step, steps by id.

    Those of groups have their flags; those of steps have neither seal nor flags.
    """

    def __init__(self) -> None:
        self.groups: dict[int, tuple[CardFace, CardFace]] = {}
        self.steps: dict[str, tuple[bytes | msgspec.Raw, CardFace]] = {}
        self.shown: tuple[tuple[object, ...], dict[Card, CardFace]] = ((), {})
        """The whole faces of a folded run's cards, and what all of them were made of: opening a group changes few."""


class CardFaces:
    """Card faces of one run by index; as immutable as the run, its verification and what is laid over it."""

    def __init__(
        self,
        record: RunRecord,
        verification: Verification | None,
        overlay: Overlay | None = None,
        annotations: Annotations | None = None,
        fold: FoldedRun | None = None,
        found: Mapping[str, tuple[Flag, ...]] | None = None,
        kept: KeptFaces | None = None,
        *,
        written: bool = False,
        hidden: HasSecrets | None = None,
    ) -> None:
        """`found` are flags of suspects and the like, by step id. `kept` outlives the faces of one state of the run.

        `written`: the run's file is being written now. With `hidden` what looks like a secret is hidden, and a
        card of several steps says nothing where one of them has one.
        """
        self._hidden = hidden
        self._kept = kept if kept is not None else KeptFaces()
        self._found = found or NONE_FOUND
        self._record = record
        self._fold = fold
        self._annotations = annotations or NO_NOTES
        if fold is None:
            self._kept.shown = ((), {})
        self._verification = verification
        self._overlay = overlay if overlay is not None and overlay.family.graph is record.graph else None
        self._faces: dict[int, CardFace] = {}
        self._flags: Mapping[str, tuple[Flag, ...]] = ref_flags(record, written=written)
        self._written = written

    def face(self, index: int) -> CardFace:
        """The face of one card."""
        face = self._faces.get(index)
        if face is None:
            fold = self._fold
            face = self._make(index) if fold is None else self._make_folded(fold, index)
            if self._hidden is not None:  # hints tell of other steps, shortened; nobody points at a flag on a stage
                flags = tuple(flag._replace(text=hide(flag.text).text, hint="") for flag in face.flags)
                face = replace(face, flags=flags)
            self._faces[index] = face
        return face

    def _make_folded(self, fold: FoldedRun, index: int) -> CardFace:
        """The face of a card of a folded run; the same as before where the card was shown before."""
        card, shown = fold.card(index), self._shown_before(fold)
        face = shown.get(card)
        if face is not None:
            return face
        if fold.is_group(index):
            face = self._make_group(fold, index)
        else:
            face = self._make(card.name)
            if self._overlay is None:  # what was written on branches it absorbed is said here, too
                face = replace(face, flags=tuple(self._named(index)))
            face = of_one_step(fold.structure, card, card.name, face)
        _keep(shown, card, face)
        return face

    def _shown_before(self, fold: FoldedRun) -> dict[Card, CardFace]:
        """The faces made so far, by card; emptied when the structure or anything else they are made from changes."""
        made_of = (
            self._record,
            fold.structure,
            self._verification,
            self._overlay,
            self._annotations,
            self._found,
            self._written,
        )
        known = self._kept.shown
        if len(known[0]) != len(made_of) or any(old is not new for old, new in zip(known[0], made_of, strict=True)):
            self._kept.shown = known = (made_of, {})
        return known[1]

    def _make_group(self, fold: FoldedRun, number: int) -> CardFace:
        face = self._unsealed(fold, number)
        if self._hidden is not None and self._hidden(fold.steps(number)):
            # Its words come from several steps, already shortened: a secret cut in two has no form to know it by.
            group = face.group._replace(members=(), answer="", found="") if face.group is not None else None
            face = replace(face, title=WORDS_HIDDEN, line="", flags=(), group=group)
        if self._verification is None:
            return face
        return replace(face, seal=self._worst_seal(fold.steps(number), self._verification))

    def _worst_seal(self, steps: Sequence[int], verification: Verification) -> str:
        """The seal of the step of a group that holds least."""
        ids, verdicts, unsupported = self._record.graph.ids, verification.verdicts, verification.unsupported
        seals = {SEALS[verdicts[step]] for step in steps}
        if "mismatch" not in seals and unsupported and any(ids[step] in unsupported for step in steps):
            return "unsupported"
        return next(seal for seal in ("mismatch", "not_checkable", "ok") if seal in seals)

    def _unsealed(self, fold: FoldedRun, number: int) -> CardFace:
        if self._overlay is not None:
            steps = fold.steps(number)
            mark = self._overlay.mark(steps[0], apart=True)
            marks = [self._overlay.mark(step, apart=True).flags for step in steps[:MOST_MARKED]]
            flags = tuple(dict.fromkeys(flag for some in marks for flag in some))[:MOST_FLAGS]
            face = fold.group_face(number)
            return replace(face, flags=(*face.flags, *flags), border=mark.border, count=mark.count)
        return self._kept_face(fold, number, tuple(self._named(number)), self._colour_in(number))

    def _colour_in(self, number: int) -> str:
        """The colour of the first step of a card that the user coloured, as a theme role; "" for none."""
        written = (self._annotations[self._record.graph.ids[step]] for step in self._flags_in_groups[1].get(number, ()))
        return next((COLOURS[note.colour] for note in written if note.colour in COLOURS), "")

    def _named(self, number: int) -> list[Flag]:
        """The flags of all steps of a card, branches it absorbed included."""
        ids = self._record.graph.ids
        refs, notes, found = self._flags_in_groups
        named = [flag for step in refs.get(number, ()) for flag in self._flags[ids[step]]]
        written = [self._annotations[ids[step]] for step in notes.get(number, ())]
        bookmarks = sum(note.bookmarked for note in written)
        if bookmarks:
            named.append(Flag(BOOKMARK if bookmarks == 1 else f"{BOOKMARK} {bookmarks}", "human"))
        texts = [hide(note.note).text if self._hidden is not None else note.note for note in written if note.note]
        if texts:
            named.extend(annotation_flags(texts[0] if len(texts) == 1 else f"{len(texts)} notes", False))
        marked = [flag for step in found.get(number, ()) for flag in self._found[ids[step]]]
        named.extend(_said_once(marked))
        assert self._fold is not None
        structure, card = self._fold.structure, self._fold.card(number)
        pause = pause_flag(structure, card, self._taken_over)
        if self._asked_last >= 0 and int(self._fold.card_of[self._asked_last]) == number:
            named.insert(0, ASKED_LAST)
        return named if pause is None else [*named, pause]

    @cached_property
    def _taken_over(self) -> frozenset[int]:
        """The steps that a fork took over from its source."""
        return frozenset(self._record.inherited_positions)

    @cached_property
    def _asked_last(self) -> int:
        """The last step of a person on the way to the main tip, as the head of the run has it; -1 for a run with one
        turn or none.
        """
        graph, tip = self._record.graph, self._record.main_tip
        if tip is None or tip not in graph or self._people < 2:
            return -1
        turns = graph.turns(graph.index(tip), MOST_BACK)
        last, before = next(turns, -1), next(turns, -1)
        if before >= 0 or self._fold is None:
            return last if before >= 0 else -1
        lanes, sorts = self._fold.structure.lanes.lanes, self._fold.structure.facts.sorts
        on_lane = (step for step in reversed(lanes[0].elements) if sorts[step] == HUMAN)
        farther, before = next(on_lane, -1), next(on_lane, -1)
        return max(last, farther) if before >= 0 else -1

    @cached_property
    def _people(self) -> int:
        """The number of steps of people."""
        return sum(kind == "human" for kind in self._record.graph.v3_kinds.values())

    def _kept_face(self, fold: FoldedRun, number: int, flags: tuple[Flag, ...], colour: str) -> CardFace:
        """The face of a group with its flags and colour; the same object as before if nothing changed, to save drawing
        it again."""
        name, plain, kept = fold.card(number).name, fold.group_face(number), self._kept.groups
        known = kept.get(name)
        shown = ((*plain.flags, *flags), colour)
        if known is not None and known[0] is plain and (known[1].flags, known[1].colour) == shown:
            return known[1]
        face = replace(plain, flags=(*plain.flags, *flags), colour=colour)
        _keep(kept, name, (plain, face))
        return face

    @cached_property
    def _flags_in_groups(self) -> tuple[dict[int, list[int]], dict[int, list[int]], dict[int, list[int]]]:
        """The steps with flags, those with something written beside them, and what was found, by their cards."""
        assert self._fold is not None
        graph, card_of = self._record.graph, self._fold.card_of
        found: tuple[dict[int, list[int]], dict[int, list[int]], dict[int, list[int]]] = ({}, {}, {})
        for by_card, ids in zip(found, (self._flags, self._annotations, self._found), strict=True):
            for step in sorted(graph.positions[identity] for identity in ids if identity in graph):
                if card_of[step] >= 0:
                    by_card.setdefault(int(card_of[step]), []).append(step)
        return found

    def _make(self, index: int) -> CardFace:
        graph = self._record.graph
        step_id = graph.ids[index]
        if self._overlay is None:
            written = self._annotations.get(step_id, NOTHING)
            note = hide(written.note).text if self._hidden is not None else written.note
            flags = (*self._flags.get(step_id, ()), *annotation_flags(note, written.bookmarked))
            flags += tuple(_said_once(self._found.get(step_id, ())))
            if self._fold is None and index == self._asked_last:
                flags = (ASKED_LAST, *flags)
            return self._face(index, self._seal(index), flags, colour=COLOURS.get(written.colour, ""))
        mark = self._overlay.mark(index, apart=self._fold is not None)
        seal = "mismatch" if step_id in self._overlay.conflicts else self._seal(index)
        flags = (*mark.flags, *self._found.get(step_id, ()))
        face = self._face(index, seal, flags, mark.count, mark.border)
        # While secrets are hidden none is cut in two: there would be no form to know it by.
        return face if self._hidden is not None else self._overlay.marks.told_apart(step_id, face)

    def _face(
        self,
        index: int,
        seal: str | None,
        flags: tuple[Flag, ...],
        count: int = 1,
        border: str | None = None,
        colour: str = "",
    ) -> CardFace:
        """The face of a step; for one that was there before the run grew, only its seal and flags are made anew."""
        graph, kept = self._record.graph, self._kept.steps
        step_id, raw = graph.ids[index], graph.raws[index]
        known = kept.get(step_id)
        if known is not None and known[0] == raw:
            plain = known[1]
        else:
            plain = card_face(graph, index) if self._hidden is None else hidden_face(graph, index)
            _keep(kept, step_id, (raw, plain))
        plain = without_prices(plain, graph)
        if seal is None and not flags and count == 1 and border is None and not colour:
            return plain
        return replace(plain, seal=seal, flags=flags, count=count, border=border, colour=colour)

    def _seal(self, index: int) -> str | None:
        if self._verification is None:
            return None
        if self._record.graph.ids[index] in self._verification.unsupported:
            return "unsupported"
        return SEALS[self._verification.verdicts[index]]


def hidden_face(graph: Graph, index: int) -> CardFace:
    """The face of a step's card without what looks like a secret."""
    found = hide_in_step(graph, index)
    if not found.kinds:
        return card_face(graph, index)
    alone = Graph((graph.ids[index],), [()], [found.raw], graph.columns.taken(Selection((index,))))
    return card_face(alone, 0)


def _said_once(marked: Sequence[Flag]) -> list[Flag]:
    """What was found in the steps of a card: what had or had not passed at the end, the suspects, and where to fork.

    Suspects are left out where there is no room, a place to fork never.
    """
    forks = [flag for flag in marked if flag.text == FORK_MARK]
    said = [flag for flag in marked if flag.role == "bad" or flag.short]
    suspects = [flag for flag in marked if flag not in said and flag not in forks]
    if len(suspects) > 1:
        hint = "\n".join(flag.text for flag in suspects)
        suspects = [suspects[0]._replace(text=counted(len(suspects), "suspect"), hint=hint)]
    if len(forks) > 1:
        forks = [forks[0]._replace(hint="\n".join(flag.hint for flag in forks))]
    return [*said, *(flag._replace(spare=True) for flag in suspects), *forks]


def _keep(kept: dict[Name, Made], name: Name, made: Made) -> None:
    if len(kept) >= MOST_KEPT:
        kept.clear()
    kept[name] = made
