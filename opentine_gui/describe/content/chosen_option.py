"""Which options a person chose by name alone ("option 1"), and what the agent's answer says each of them is."""

from __future__ import annotations

import re

from opentine_gui.core.format.late_pattern import late_pattern
from opentine_gui.scene.text.clean import clean

MOST_NAMES = 3
"""Most options of one request that are looked up."""
MOST_WORDS = 30
"""Most words of a request that may be a mere choice: a longer one says what it wants."""
_LOOKED_AT = 40_000
"""Characters at the end of an answer that are searched for an option."""
_LENGTH = 160
_CALLED = (
    r"(?:options?|approach(?:es)?|variants?|alternatives?|choices?|solutions?"
    r"|suggestions?|points?|items?|numbers?|no\.)"
)
_NAME = r"(?:\d{1,2}|[a-h])"
_NAMED = late_pattern(rf"\b{_CALLED}\s*#?({_NAME}(?:\s*(?:,|and|&|\+|or)\s*{_NAME})*)\b(?![\w'’])", re.IGNORECASE)
_ALONE = late_pattern(
    r"\W*(?:(?:yes|yeah|ok(?:ay)?|sure|please|then|let['’]?s|lets|do|go|take|use|try|with|for|pick|choose|i(?:['’]d)?"
    r"|think|prefer|like|want)\W+){0,8}"
    rf"\(?({_NAME}(?:\s*(?:,|and|&|\+)\s*{_NAME})*)\b[.)]?(?:\W+(?:please|then|first|only|now|is fine|looks good))*\W*",
    re.IGNORECASE,
)
_ORDINAL = late_pattern(
    r"\bthe (first|second|third|fourth|fifth) (?:one|option|approach|variant|alternative|choice|suggestion)\b", re.I
)
_NUMBERS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5"}
_MARKUP = late_pattern(r"[*_`#]+")


def chosen_options(said: str) -> list[str]:
    """The names of the options a person chose, such as "1" or "b"; [] if the words do not choose by name."""
    if len(said.split()) > MOST_WORDS:
        return []
    found = [_NUMBERS[word.lower()] for word in _ORDINAL.findall(said)]
    alone = _ALONE.fullmatch(said) if len(said) < 100 else None
    for names in [*_NAMED.findall(said), *([alone[1]] if alone else [])]:
        found += re.findall(rf"\b{_NAME}\b", names, re.IGNORECASE)
    return list(dict.fromkeys(name.lower() for name in found))[:MOST_NAMES]


def option_in(answer: str, name: str) -> str:
    """What an answer says about the option `name`, in one line, cleaned; "" if it has no such option."""
    text = answer[-_LOOKED_AT:]
    called = re.compile(rf"^[\s#>*_•-]{{0,12}}{_CALLED}\s*#?{name}\b[\s*_]{{0,4}}[):.\s—–-]*(.*)$", re.I | re.M)
    listed = re.compile(rf"^[\s#>*_•-]{{0,12}}\(?{name}[.):][\s*_]+(.+)$", re.I | re.M)
    for pattern in (called, listed):
        for match in pattern.finditer(text):
            words = _plain(match[1]) or _plain(_next_line(text, match.end()))
            if words:
                return words
    return ""


def _next_line(text: str, place: int) -> str:
    return next((line for line in text[place : place + 400].split("\n") if line.strip()), "")


def _plain(line: str) -> str:
    return clean(_MARKUP.sub("", line).strip(" \t:–—-"), _LENGTH)
