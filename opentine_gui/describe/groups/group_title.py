"""The title of a group: the first rule that applies, from a retry to the most frequent work."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from operator import attrgetter

from opentine_gui.core import StepKind, TineError
from opentine_gui.core.format.late_pattern import late_pattern
from opentine_gui.core.graph.calls.call_roles import ARGUMENT_KEYS, Role, call_in
from opentine_gui.core.structure.cards import Card
from opentine_gui.core.structure.facts import CALL, HUMAN, SAYING, SUBAGENT
from opentine_gui.core.structure.repetition import Repeat
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.content.printed.pasted import own_words
from opentine_gui.describe.failures.reason import failure_reason, without_folders
from opentine_gui.describe.groups.call_name import VERBS, call_name
from opentine_gui.describe.payload_text import (
    first_sentence,
    first_text,
    has_text,
    rest_of,
    says_nothing,
    sentences,
    some,
    telling_first,
)
from opentine_gui.describe.step_titles import TITLE_LIMIT, agent_task
from opentine_gui.describe.step_titles import title as step_title
from opentine_gui.scene.text.clean import clean

_SHORT_WORDS = 14
"""A person's words of fewer characters say too little about what happened next."""
_MOST_READ = 400
"""Most steps of a group that are examined for its title."""
_SPOKEN_LENGTH = 60
"""Sentences of a person are added to a title until it has this many characters."""
_OPENINGS = late_pattern(
    r"^(?:(?:(?:great|perfect|good|excellent|right)[,.!:—–-]+|(?:ok(?:ay)?|alright|sure|now(?!\s+that\b)|so(?!\s+that\b)|then|next"
    r"|yes|thanks)[,.!:]?)\s+)*"
    r"(?:(?:now\s+)?(?:let me|let's|i'll|i will|i'm going to|i need to|i should|we need to)\s+"
    r"(?:now\s+|also\s+|first\s+)?(?:help you\s+(?!with\b))?)?",
    re.IGNORECASE,
)
_INTERJECTION = late_pattern(
    r"^(?:(?:alright|ok(?:ay)?|so+|hey|hi|btw|well|now|hmm+|um+)[,.!:…-]*\s+)+(?=\S+ \S)", re.I
)
_MESSAGE = late_pattern(r"(?:-\w*m|--message)[= ]\s*(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)')")
_END = attrgetter("end")
_HERE = late_pattern(r"<<-?\s*['\"]?(\w+)['\"]?\s*\n(.*?)(?:\n\1|$)", re.DOTALL)


def group_title(structure: Structure, card: Card, steps: Sequence[int]) -> tuple[str, str]:
    """The title of a group, and the kind for its glyph and bar; cleaned, at most 120 characters.

    `steps` are those of the card, in order.
    """
    facts = structure.facts
    if card.sort == "merged":
        return f"{len(card.entries):,} merged paths", "think"
    repeat = repeat_of(structure, card)
    if repeat is not None and facts.sorts[steps[0]] != HUMAN:  # a person's question is always shown
        return _repeated(structure, card, repeat), "tool"
    agents = [step for step in steps[:_MOST_READ] if facts.sorts[step] == SUBAGENT]
    if agents and (card.sort != "span" or is_mostly(structure, card, agents)):
        tasks = [agent_task(structure.graph.step(step)) for step in agents]
        if len(tasks) == 1 or card.sort == "lane":
            return tasks[0], "subagent"
        return clean(f"{len(tasks)} sub-agents: {', '.join(tasks)}", TITLE_LIMIT), "subagent"
    if card.sort == "paths":
        return clean(f"{len(card.entries)} calls side by side: {_work(structure, steps)}", TITLE_LIMIT), "tool"
    if facts.sorts[steps[0]] == HUMAN:
        return _spoken(structure, steps), "human"
    stopped = _stopped(structure, steps)
    if stopped:
        return stopped, "error"
    saved = _saved(structure, steps)
    if saved:
        return saved, "tool"
    said = _said(structure, steps)
    if said:
        return said, "model"
    work = _work(structure, steps)
    if work:
        return work, "tool"
    said = _said(structure, steps, empty=True)
    if said:
        return said, "model"
    kinds = structure.graph.v3_kinds
    telling = next((step for step in reversed(steps) if kinds.get(step) != "policy"), steps[0])
    return step_title_of(structure, telling), structure.graph.head(telling).shown_kind


def step_title_of(structure: Structure, step: int) -> str:
    """The title of one step; if it cannot be read, a sentence that says so."""
    try:
        return step_title(structure.graph.step(step))
    except TineError:
        return "A step that cannot be read"


def without_opening(text: str) -> str:
    """A sentence without empty opening words: "OK, now let me look at the reader" becomes "Look at the reader"."""
    shorter = _OPENINGS.sub("", text, count=1).strip()
    if len(shorter) <= 2:
        return text
    first = shorter.split(maxsplit=1)[0].rstrip(",:.;")
    if shorter == text.strip() and not (first.isalpha() and first.islower()):  # an identifier stays as it is written
        return text
    return shorter[:1].upper() + shorter[1:]


def repeat_of(structure: Structure, card: Card) -> Repeat | None:
    """The retry or loop that a span consists of, except for a step or two."""
    if card.sort != "span":
        return None
    structure.borders.rank(structure.lanes.lanes[card.lane])
    repeats = structure.borders.repeats.get(
        card.lane, []
    )  # in order, one after the other, and a long run has thousands
    for repeat in islice(repeats, bisect_right(repeats, card.first, key=_END), None):
        if repeat.start >= card.stop:
            break
        start, stop = max(repeat.start, card.first), min(repeat.end, card.stop)
        if stop - start > 2 and stop - start >= 0.75 * (card.stop - card.first):
            return repeat
    return None


def _repeated(structure: Structure, card: Card, repeat: Repeat) -> str:
    elements = structure.lanes.lanes[card.lane].elements
    first = max(repeat.start, card.first)
    length = max((repeat.end - repeat.start) // max(repeat.times, 1), 1)
    times = max(1, round((min(repeat.end, card.stop) - first) / length))
    span = elements[first : first + length]
    names = list(dict.fromkeys(_name(structure, step, plain=True) for step in _with_pieces(structure, span)))
    names = [name for name in names if name]
    words = " → ".join(names[:3]) or "The same again"
    again = ", again after failing" if repeat.sort == "retry" else ""
    return clean(f"{words} ×{times}{again}", TITLE_LIMIT)


def _with_pieces(structure: Structure, elements: Sequence[int]) -> list[int]:
    lanes = structure.lanes
    return lanes.order[lanes.place[elements[0]] : lanes.pieces_end[elements[-1]]][:_MOST_READ]


def _name(structure: Structure, step: int, *, plain: bool = False) -> str:
    return call_name(structure.graph, step, plain=plain) if structure.facts.sorts[step] == CALL else ""


def _stopped(structure: Structure, steps: Sequence[int]) -> str:
    """The reason why a group that did and said nothing ended in an error."""
    facts, kinds = structure.facts, structure.graph.kinds
    if any(facts.sorts[step] != SAYING or (facts.speaks[step] and kinds[step] is not StepKind.ERROR) for step in steps):
        return ""
    last = next((step for step in reversed(steps) if facts.failed[step]), -1)
    reason = failure_reason(structure.graph, last) if last >= 0 else ""
    return reason[:1].upper() + reason[1:]


def is_mostly(structure: Structure, card: Card, agents: Sequence[int]) -> bool:
    """Whether a span holds little more than the sub-agents it calls."""
    lanes = structure.lanes
    inside = 0
    for step in agents:
        lane = lanes.lane_of(step)
        if lane.piece and lane.entry == step:
            inside += lane.end - lane.start
    return inside >= 0.5 * card.size


def _spoken(structure: Structure, steps: Sequence[int]) -> str:
    """What a person said; of several turns, in the one that led to most steps."""
    sorts = structure.facts.sorts
    turns = [place for place, step in enumerate(steps) if sorts[step] == HUMAN]
    ends = [*turns[1:], len(steps)]
    longest = max(range(len(turns)), key=lambda number: (ends[number] - turns[number], -number))
    start, end = turns[longest], ends[longest]
    said = _words_of_person(structure, steps[start])
    quoted = f"“{said}”"
    if len(said) < _SHORT_WORDS:
        answer = _said(structure, steps[start + 1 : end])
        return clean(f"{quoted} {answer}".strip(), TITLE_LIMIT)
    return clean(quoted, TITLE_LIMIT)


def _said(structure: Structure, steps: Iterable[int], *, empty: bool = False) -> str:
    """The agent's first words among some steps that say something; `empty`: whatever they say."""
    facts = structure.facts
    for _, step in zip(range(_MOST_READ), steps, strict=False):
        if facts.sorts[step] != SAYING or not facts.speaks[step]:
            continue
        try:
            found = structure.graph.step(step)
        except TineError:
            continue
        text = first_text(found.outputs) or first_text(found.inputs, ("text",))
        if text:
            said = telling_sentence(text)
            if said and (empty or not says_nothing(said)):
                return clean(said.rstrip(":："), TITLE_LIMIT)
    return ""


def telling_sentence(text: str) -> str:
    """The first sentence about the work: for "Good. Let me fix the reader" it is "Fix the reader"."""
    return without_opening(telling_first(text))


def _words_of_person(structure: Structure, step: int) -> str:
    """What a person said; several sentences if the first is short, as in "Two things:"."""
    try:
        found = structure.graph.step(step)
    except TineError:
        return step_title_of(structure, step)
    said = step_title(found)
    rest = sentences(rest_of(own_words(first_text(found.inputs))))
    while rest and len(said) < _SPOKEN_LENGTH:
        said = f"{said}{'' if said.endswith((':', '?', '!', ',', '…')) else '.'} {rest.pop(0)}"
    return clean(without_folders(_INTERJECTION.sub("", said), "…/").removesuffix("."), TITLE_LIMIT)


def _saved(structure: Structure, steps: Sequence[int]) -> str:
    """What was committed: the first message, and the number of further commits."""
    roles = structure.facts.roles
    saves = [step for step in steps[:_MOST_READ] if roles[step] == Role.SAVE]
    messages = []
    for step in saves:
        command = call_in(structure.graph.raws[step]).command
        if "commit" in command:
            messages.append(_message(command))
    if not messages:
        return ""
    more = f" +{len(messages) - 1}" if len(messages) > 1 else ""
    return clean(f"Commit “{messages[0]}”{more}" if messages[0] else f"Commit{more}", TITLE_LIMIT)


def _message(command: str) -> str:
    here = _HERE.search(command[:20_000])
    if here:
        return first_sentence(here[2])
    found = _MESSAGE.search(command[:20_000])
    return first_sentence(found[1] or found[2] or "") if found else ""


def _planned(structure: Structure, steps: Sequence[int]) -> str:
    """What a plan says is being done, in the last of some steps that write one; else what is to be done next."""
    for step in reversed(steps):
        try:
            inputs = structure.graph.step(step).inputs
        except TineError:
            continue
        arguments = next((inputs[key] for key in ARGUMENT_KEYS if isinstance(inputs.get(key), Mapping)), inputs)
        items = next((value for value in arguments.values() if isinstance(value, Sequence) and value), ())
        listed = [item for item in some(items) if isinstance(item, Mapping)] if not isinstance(items, str) else []
        for status in ("in_progress", "pending", "completed"):
            item = next((item for item in listed if item.get("status") == status), {})
            said = next(
                (item[key] for key in ("content", "step", "text", "title") if isinstance(item.get(key), str)), ""
            )
            if has_text(said):
                return first_sentence(said)
        said = next((arguments[key] for key in ("title", "intent") if isinstance(arguments.get(key), str)), "")
        if has_text(said):
            return first_sentence(said)
    return ""


def _work(structure: Structure, steps: Sequence[int]) -> str:
    """The most frequent work; edits, tests and commits count three times."""
    roles = structure.facts.roles
    counts: Counter[str] = Counter()
    order: Counter[str] = Counter()
    for step in steps[:_MOST_READ]:
        name = _name(structure, step)
        if name:
            counts[name] += 1
            order[name] += 3 if roles[step] in (Role.EDIT, Role.TEST, Role.SAVE) else 1
    if set(order) == {VERBS[Role.PLAN]}:
        planned = _planned(structure, [step for step in steps[:_MOST_READ] if roles[step] == Role.PLAN])
        if planned:
            return clean(f"{VERBS[Role.PLAN]}: {planned}", TITLE_LIMIT)
    if len(order) > 1:  # a plan that was brought up to date says less than the work beside it
        del order[VERBS[Role.PLAN]]
    best = [name for name, _ in order.most_common(2)]
    words = ", ".join(name if counts[name] == 1 else f"{name} ×{counts[name]}" for name in best)
    return clean(words, TITLE_LIMIT)
