"""The first sentence of a text that says something of the work: not "Perfect!", "---" or the heading "Plan"."""

from __future__ import annotations

import re

from opentine_gui.describe.payload_text import first_sentence, sentences

_EXCLAIMED = re.compile(
    r"(?:ok(?:ay)?|great|perfect|good|excellent|awesome|nice|right|exactly|alright|sure|certainly|of course|absolutely|"
    r"yes|no|done|fixed|updated|success|thanks|wow|hm+|(?:i )?see|(?:ah|oh)(?:,? (?:yes|no|wait|right|i see))?|"
    r"got it|(?:i )?found it|understood|interesting|almost there|looks good|that worked|it works|"
    r"(?:good|great|excellent|fair|nice) (?:question|point|idea|call|catch|news|work)|"
    r"you(?:'re| are) (?:absolutely )?right|right, exactly|that makes sense|makes sense)[.!:,…]*",
    re.IGNORECASE,
)
"""Sentences that say nothing of the work they begin."""
_HEADING = re.compile(
    r"(?:(?:the|my|our) )?(?:plan|summary|overview|introduction|next steps?|(?:key )?changes(?: made)?|analysis|"
    r"results?|conclusion|steps?|notes?|details|background|context|status|update|answer|response|output|task|todos?|"
    r"so|now)[:.]*",
    re.IGNORECASE,
)
"""Headings that every such text has."""
_LONGEST = 24
"""Letters of the longest sentence that may say nothing."""
_LOOKED_AT = 4
_LAST_RULE = 0x25FF
"""The last sign that lines and boxes are drawn with."""
_SIGN = re.compile(r"^[^\w\s(\[{\"'“‘`/.$@<-]+\s*(?=\w)")
"""A sign before a sentence, as a check mark."""


def says_nothing(sentence: str, *, spoken_by_a_person: bool = False) -> bool:
    """Whether a sentence is a heading, a rule or an exclamation; of a person an exclamation is what was said."""
    if len(sentence) > _LONGEST:
        return False
    bare = _SIGN.sub("", sentence.strip())
    if not any(letter.isalpha() for letter in bare):  # a rule or a number; a picture of a thumb is an answer
        return bare.strip(".)").isdigit() or not any(ord(letter) > _LAST_RULE for letter in bare)
    return bool(_HEADING.fullmatch(bare) or (not spoken_by_a_person and _EXCLAIMED.fullmatch(bare)))


def telling_first(text: str, most: int | None = None, *, spoken_by_a_person: bool = False) -> str:
    """The first sentence that says something, else the first; cleaned, of one longer than `most` at least that much."""
    first = first_sentence(text) if most is None else first_sentence(text, most)
    if not says_nothing(first, spoken_by_a_person=spoken_by_a_person):
        return first
    for sentence in sentences(text)[1:_LOOKED_AT]:
        if not says_nothing(sentence, spoken_by_a_person=spoken_by_a_person):
            return first_sentence(sentence)
    return first
