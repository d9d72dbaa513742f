"""What a sub-agent found: the sentence of its report that says most."""

from __future__ import annotations

import re
from collections.abc import Sequence

from opentine_gui.core import TineError
from opentine_gui.core.format.late_pattern import late_pattern
from opentine_gui.core.graph.calls.call_roles import Role
from opentine_gui.core.structure.facts import CALL, SAYING
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.failures.reason import without_folders
from opentine_gui.describe.payload_text import first_text, sentences
from opentine_gui.scene.text.clean import clean

FOUND_LIMIT = 160
_MOST_SENTENCES = 60
_FRONT, _END = 2_000, 1_500
"""Characters at the beginning of a report that `sentences` looks at, and at the end of a longer one that are examined
besides."""
_ABOUT_ITSELF = late_pattern(
    r"(?:(?:ok(?:ay)?|great|perfect|good|excellent|done|now|so|right)[,.!:]*\s+)*"
    r"(?:(?:now )?(?:i|we)(?:'ve| have| now have|'m| am|'ll| will)\b.{0,40}?"
    r"\b(?:understanding|picture|view|data|information|context|details|everything|everything i need|enough|analysis|"
    r"review|report|summary|search|exploration|research|compile|write|provide|give)\b|"
    r"(?:here(?:'s| is| are)|below (?:is|are)|let me|based on my|this (?:report|document|is (?:my|a|the) \w+))\b)",
    re.IGNORECASE,
)
"""Beginnings of sentences that only announce the report."""
_FINDS = (
    late_pattern(
        r"\b(?:found|critical|vulnerab\w+|root cause|recommend\w*|conclusions?|verdict|overall|in short|"
        r"bugs?|no (?:\w+ )?(?:issues?|problems?))\b",
        re.IGNORECASE,
    ),
    late_pattern(
        r"\b(?:issues?|problems?|risks?|missing|lacks?|broken|wrong|incorrect\w*|fails?|failed|pass(?:ed|es)?|works|correct|"
        r"(?:do|does|is|are|can)(?:n't| not)|never|no longer|cannot|should|must|because|lies in)\b",
        re.IGNORECASE,
    ),
)
"""Words in sentences that say what was found, the surest first."""
_VERDICTS = (
    late_pattern(
        r"(?:overall|final) (?:verdict|assessment|conclusion|recommendation)\b(?P<words>\s*[:—–-]\s*(?=\S))?", re.I
    ),
    late_pattern(r"(?:verdict|bottom line|conclusions?|tl;dr|in short)\b(?P<words>\s*[:—–-]\s*(?=\S))?", re.IGNORECASE),
    late_pattern(r"(?:assessment|recommendation|summary)(?P<words>\s*[:—–-]\s*(?=\S))?", re.IGNORECASE),
)
"""What stands before a report's verdict, or above it as a heading, the surest first; the last is one near the end."""
_NUMBER = late_pattern(r"\d{1,2}(?:\.\d{1,2}){1,3}\s+")
"""The number of a section in its heading: "1.1 "."""
_FEW_WORDS = 3
"""A verdict of fewer words keeps what stands before it: "Recommendation: APPROVE"."""
_NOTHING = frozenset({"done", "done.", "ok", "ok.", "finished", "complete", "completed"})
_CONJUNCTION = late_pattern(r"^(?:however|overall|in (?:short|summary|conclusion)|additionally|also|so|but),?\s+", re.I)
_FOUND = late_pattern(r"^(?:i|we)(?:'ve| have)? (?:found|identified|discovered)\s+(?:that\s+)?", re.IGNORECASE)
_FIELD = late_pattern(r"[A-Z][\w ]{0,24}: \S+(?: \S+){0,7}$|agentId:|[<{|]|[0-9a-f]{7,40}:")
"""A line of a report's head ("Branch: main"), a row of a table, a commit, or what the program put around it."""
_FIGURE = late_pattern(r"\w+(?: \w+){0,4}: ")
"""What a line below a heading begins with if it is one of several figures, not a sentence."""


def found_by(structure: Structure, agent: int) -> str:
    """What a sub-agent reported; cleaned, at most 160 characters; "" if no report is recorded.

    `agent` is its first step. The report is what it said last, else what its call returned.
    """
    lanes, facts = structure.lanes, structure.facts
    lane = lanes.lane_of(agent)
    last = lane.elements[-1]
    beside = list(lanes.pieces.get(lane.owner, ()))
    around = lanes.owner_lane(lane)
    if around is not None and 0 <= lane.owner < len(lanes.index):  # the call may be the step that continues the caller
        following = lanes.index[lane.owner] + 1
        beside += around.elements[following : following + 1]
    answers = (
        entry
        for entry in beside
        if last in lanes.parents[entry] and facts.sorts[entry] == CALL and facts.roles[entry] == Role.DELEGATE
    )
    said = (step for step in reversed(lane.elements) if facts.sorts[step] == SAYING)
    for step in (next(said, -1), next(answers, -1)):
        if step >= 0 and facts.failed[step] == 0:
            found = found_in(_text_of(structure, step))
            if found:
                return found
    return ""


def found_in(report: str) -> str:
    """What a report says was found: its verdict, else the sentence that tells most, else the first that tells anything.

    What only announces the report, rows of tables and lines of its head tell nothing.
    """
    report = report.strip()
    front = sentences(report)[:_MOST_SENTENCES]
    end = sentences(report[-_END:])[1:] if len(report) > _FRONT else front  # conclusions come at the end
    told = [
        sentence
        for sentence in (front if end is front else [*front, *end])
        if re.search(r"\w", sentence)
        and sentence.lower() not in _NOTHING
        and not _ABOUT_ITSELF.match(sentence)
        and not _FIELD.match(sentence)
    ]
    whole = [sentence for sentence in told if len(sentence.split()) > 4]
    telling = (sentence for finds in _FINDS for sentence in whole if finds.search(sentence))
    best = _verdict(front, end) or next(telling, "") or next(iter(whole), "") or next(iter(told), "")
    if best.endswith((":", "：")) and best in told[:-1]:  # it only leads to what follows it
        best = f"{best} {told[told.index(best) + 1]}"
    best = _NUMBER.sub("", _FOUND.sub("", _CONJUNCTION.sub("", best), count=1), count=1).rstrip(" .:")
    return clean(without_folders(best[:1].upper() + best[1:]), FOUND_LIMIT)


def _verdict(front: Sequence[str], end: Sequence[str]) -> str:
    """The sentence after "Overall verdict:" or below "Conclusion"; "" if nothing is called so.

    Sections may have verdicts of their own: what is not about the whole counts only at the end.
    """
    for number, label in enumerate(_VERDICTS):
        among = list(end) if number or end is front else [*front, *end]
        for place in range(len(among) - 1, -1, -1):
            sentence = among[place]
            named = label.match(sentence)
            if named is None:
                continue
            words = sentence[named.end() :]
            if named["words"] is None:
                below = among[place + 1] if not words and place + 1 < len(among) else ""
                if len(below.split()) > 4 and not _FIELD.match(below) and not _FIGURE.match(below):
                    return below
            elif not _FIELD.match(words):
                return words if len(words.split()) >= _FEW_WORDS else sentence
    return ""


def _text_of(structure: Structure, step: int) -> str:
    try:
        return first_text(structure.graph.step(step).outputs)[:20_000]
    except TineError:
        return ""
