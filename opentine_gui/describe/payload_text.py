"""Text from recorded payloads: the first text under any of the usual keys, sentences, small values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from opentine_gui.describe.content.media import media_of_object, media_of_text
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.clean import clean, may_escape

LONGEST_TEXT = 120
TEXT_KEYS = (
    "text", "content", "prompt", "message", "question", "query", "task", "goal", "instruction", "instructions", "input",
    "thought", "reasoning", "plan", "answer", "output_text", "output", "response", "summary", "result", "reply",
    "system",
)  # fmt: skip
# Keys of a transcript turn that hold its text. Only a few: a call's arguments are shown whole, not just the query.
SPOKEN_KEYS = ("text", "content", "answer", "result", "response", "output", "message", "prompt", "error")
_MARKDOWN = re.compile(r"^\s*(?:#{1,6}\s+|>\s*|[-*+]\s+|\d+[.)]\s+|`{3,}\w*)")
# A prefix that agent loops add to a tool's output, and what Gemini CLI puts around it; the card names the tool.
_PREFIX = re.compile(r"^\s*(?:\[Tool output from [^\]]{1,80}\]|<untrusted_context>\s*(?:Output:)?)\s*")
# Tags that some models write before their thoughts in the text of an answer.
_THOUGHT = re.compile(r"\s*<(?:think|thinking|thought|reasoning)>\s*(?!</)")
# What Codex puts before a command's output; the card already shows exit code and time.
_HEAD = re.compile(
    r"(?:(?:Chunk ID:|Wall time:|Exit code:|Process exited with code|Process running with session ID|"
    r"Original token count:|Total output lines:)[^\n]{0,80}\n){1,6}Output:(?:\n|$)(?:Total output lines: \d{1,9}\n+)?"
)
# The progress meter that curl prints before what it fetched.
_METER = re.compile(
    r"\s{0,9}% Total {1,9}% Received [^\n]{0,99}\n[^\n]{0,120}\n(?:[ \d:.kMGT\r-]{0,160}\n){0,200}+"
    r"(?:[ \d:.kMGT\r-]{40,160}$)?"
)
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{1,2000}\)")
"""A link of Markdown: its words alone are shown."""
_RANKS = {key: rank for rank, key in enumerate(TEXT_KEYS)}
MESSAGES = ("messages", "choices", "history", "parts")
MOST_VALUES = 2_000
"""Most members and parts of one payload that are read as its text."""
_DEEPEST = 12
_LONGEST_LABEL = 64
FRONT = 240
"""Characters at the front of a text that nearly always hold its first sentence and the beginning of the next one."""
_MOST_BLANK = 1_000_000
"""Most characters that are examined to call a text blank."""
_UNSURE = 16
_FAR = 2_000
"""Characters at the front of a text that are split into sentences."""
_SENTENCE = re.compile(r"(?<=[.!?…])(?<!\s\d\.)\s+(?=[^a-z])|(?<=[。！？])|\n+")
"""Where a sentence ends; not after a single digit with a full stop, which numbers what follows ("Now 3. Remove")."""
_SENTENCE_END = re.compile(r"[.!?…。！？](?:(?<=[。！？])|(?<!\s\d\.)\s+(?=[^a-z]))")
"""The same within a line, including the sign that ends the sentence: a pattern that begins with a required character
is searched for quickly."""
_RULE = re.compile(r"(?:\s*+(?:\x1b\[[0-9;]*m)*+([=*~#_-])\1{3,}+)+\s*+")
"""Rules at the beginning of a text: four or more equal signs, on one or more lines."""
_SAYS_NOTHING = re.compile(r"(?:[ \t]*+(?:\?[ \t]++\S++[ \t]++\[no test files\]|\d++(?:→|[-:]))[ \t\r]*+\n)++")
"""Lines of `go test` about a package without tests, and numbers of empty lines of a file."""
_CJK_END = re.compile(r"[。！？](?=.)")


def first_text(payload: Mapping[str, Any], keys: Iterable[str] = TEXT_KEYS) -> str:
    """Return the first recorded text among the known keys, then in a list of messages; "" when there is none."""
    if keys is TEXT_KEYS and len(payload) < len(TEXT_KEYS):  # most have few keys, and each card asks three times
        keys = sorted(_RANKS.keys() & payload.keys(), key=_RANKS.__getitem__)
    for key in keys:
        text = _as_text(payload.get(key))
        if text:
            return text
    for key in MESSAGES:
        turns = payload.get(key)
        if turns is not None and isinstance(turns, Sequence) and not isinstance(turns, str):
            for turn in reversed(turns[-20:]):
                text = _as_text(turn)
                if text:
                    return text
    return ""


def has_text(text: object) -> TypeGuard[str]:
    """Whether a value is a text that is not blank; unlike `strip` this does not copy a long text."""
    return isinstance(text, str) and text != "" and (not text[:_MOST_BLANK].isspace() or len(text) > _MOST_BLANK)


def _as_text(value: Any, depth: int = 0) -> str:
    """The text of a string, a message, or a list of content parts, a few levels deep at most."""
    if isinstance(value, str):
        return value if value[:4000].strip() else ""
    if value is None or depth > 4:  # the most common case, and the quickest
        return ""
    if isinstance(value, Mapping):
        for key in ("text", "content", "message", "value"):
            text = _as_text(value.get(key), depth + 1)
            if text:
                return text
    elif isinstance(value, Sequence):
        for part in some(value):
            if isinstance(part, Mapping):
                text = _as_text(part, depth + 1)
                if text:
                    return text
    return ""


class Told(NamedTuple):
    """The text of a payload, and how many values were `left` out of it."""

    text: str = ""
    left: int = 0

    def __bool__(self) -> bool:
        return has_text(self.text)


def whole_text(value: Any) -> str:
    """Return all the text of a payload: strings, the first known key of each object, the parts of lists."""
    return told(value, ", ").text


def told(value: Any, between: str = "\n") -> Told:
    """All the text of a value, as in `whole_text`, with `between` the members of an object; a picture is named."""
    reading = _Reading(between)
    text = reading.text_of(value, 0)
    return Told(text, reading.left)


class _Reading:
    """Reads one payload; `room` is how many more members and parts are looked at, `left` how many were not told."""

    def __init__(self, between: str) -> None:
        self.between, self.room, self.left = between, MOST_VALUES, 0

    def text_of(self, value: Any, depth: int) -> str:
        if isinstance(value, str):
            media = media_of_text(value)
            return f"[{media.words}]" if media is not None else value
        if not isinstance(value, Mapping | Sequence):
            return "" if value is None else scalar(value)
        if depth >= _DEEPEST:
            self.left += 1
            return ""
        if isinstance(value, Mapping):
            media = media_of_object(value)
            return f"[{media.words}]" if media is not None else self._members(value, depth)
        return "\n".join(filter(None, [self.text_of(part, depth + 1) for part in self._some(value)]))

    def _members(self, value: Mapping[str, Any], depth: int) -> str:
        texts: dict[str, str] = {}  # each is read once: what is nested without a text would be read twice a level
        for key in SPOKEN_KEYS:
            if value.get(key):
                texts[key] = self.text_of(value[key], depth + 1)
                if has_text(texts[key]):
                    self.left += sum(not _is_label(member) for name, member in value.items() if name not in texts)
                    return texts[key]
        for key in self._some(value):
            if key not in texts:
                texts[key] = self.text_of(value[key], depth + 1)
        return self.between.join(f"{key}: {texts[key]}" for key in value if texts.get(key))

    def _some(self, values: Mapping[str, Any] | Sequence[Any]) -> list[Any]:
        """As many of these as there is room for."""
        taken = some(values, self.room)
        self.room -= len(taken)
        self.left += len(values) - len(taken)
        return taken


def _is_label(value: Any) -> bool:
    """Whether a value only says what stands beside it: a role, a type, an id."""
    return not value or isinstance(value, int | float) or (isinstance(value, str) and len(value) <= _LONGEST_LABEL)


def sentences(text: str) -> list[str]:
    """Return the sentences at the front of a text (2,000 characters), cleaned, without Markdown markup."""
    lines = [line for line, _ in _lines(clean(_begun(text), _FAR, lines=True))]
    return [part for part in map(str.strip, _SENTENCE.split("\n".join(lines))) if part]


def _begun(text: str) -> str:
    """The beginning of a text, without what programs put before it."""
    text = text[:20_000]
    prefix = _PREFIX.match(text) or _HEAD.match(text) or _THOUGHT.match(text) or _METER.match(text)
    return text[prefix.end() :] if prefix else text


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """The non-empty lines of a cleaned text without markup, and how many characters follow each."""
    after = len(text) + 1
    for line in text.split("\n"):
        after -= len(line) + 1
        line = line.lstrip()
        if not line[:1].isalpha():
            markup = _MARKDOWN.match(line)
            line = line[markup.end() :] if markup else line
        if "](" in line:
            line = _LINK.sub(r"\1", line)
        if "*" in line or "`" in line:
            line = line.replace("**", "").replace("`", "")
        line = line.strip()
        if line.strip(_RULES):  # a rule between paragraphs is no sentence
            yield line, after


def _first_parted(text: str, more: int = 0, most: int = _FAR) -> tuple[str, str]:
    """The first of a text's `sentences`, and what follows it, on one line: `more` characters, if there are that many.

    Of a sentence longer than `most`, at least that many characters are given.
    """
    text = _begun(text)
    front = FRONT + 2 * more
    if len(text) > front and not may_escape(text[:front]):
        first, rest, after = _parted(clean(text[:front], _FAR, lines=True), more and more + 4 * _UNSURE)
        # Only the last few characters may change with what follows them.
        if after > _UNSURE and (not more or len(rest) > more + _UNSURE):
            return first, rest
        if not more and len(first) > most + _UNSURE:
            return first, ""
    return _parted(clean(text, _FAR, lines=True), more and _FAR)[:2]


def _parted(text: str, enough: int) -> tuple[str, str, int]:
    """The first sentence of a cleaned text, `enough` of what follows on one line, and an upper bound of what follows.

    A line end also ends a sentence, so the later lines need not be split. "" and 0 for a text without sentences.
    """
    lines = _lines(text)
    for line, after in lines:
        end = _SENTENCE_END.search(line)
        at = end.start() + 1 if end is not None else len(line)
        first = line[:at]
        if not enough:
            return first, "", after + len(line) - at
        parts, size = [line[at:]], len(line) - at
        while size < enough and (found := next(lines, None)):
            parts.append(found[0])
            size += len(found[0])
        rest = " ".join(parts)
        if not rest.isascii():
            rest = _CJK_END.sub(r"\g<0> ", rest)
        return first, clean(rest, enough + _FAR), after + len(line) - at
    return "", "", 0


def first_sentence(text: str, most: int = _FAR) -> str:
    """Return the first sentence, cleaned, without its full stop; of one longer than `most`, at least that much."""
    first, _ = _first_parted(text, most=most)
    if not first:
        return clean(_begun(text), LONGEST_TEXT)
    return first[:-1] if first.endswith((".", "。")) and not first.endswith("..") else first


def without_empty_lines(text: str) -> str:
    """What a program printed without lines at its beginning that say nothing: the number of an empty line of a file,
    and a package without tests.
    """
    begun = _SAYS_NOTHING.match(text, 0, _FAR)
    if begun is None:
        return text
    if has_text(text[begun.end() :]):
        return text[begun.end() :]
    return text.lstrip().removeprefix("?").lstrip(" \t")  # the sign that `go test` begins with ends no sentence


def unruled(text: str) -> str:
    """A text without the signs that programs draw around a heading, where it begins with them."""
    begun = _RULE.match(text, 0, FRONT)
    if begun is None or begun.end() == len(text):
        return text
    first, end, others = text[begun.end() :].partition("\n")
    said = clean(first, FRONT)
    return f"{said.rstrip(begun[1]).rstrip() or said}{end}{others[:FRONT]}"


def rest_of(text: str, limit: int | None = None) -> str:
    """Return what follows the first sentence, cleaned; with a `limit`, at most that many characters, ending in "…"."""
    if limit is None:
        return " ".join(sentences(text)[1:])
    return clean(_first_parted(text, limit)[1], limit)


def some(values: Iterable[Any], most: int = 50) -> list[Any]:
    """Return the first few of many values."""
    return [value for _, value in zip(range(most), values, strict=False)]


def size_of(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return "3 keys" or "25 items"."""
    return counted(len(value), "key" if isinstance(value, Mapping) else "item")


def scalar(value: Any) -> str:
    """Return a small value as JSON, texts without quotes, at most 40 characters."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 128:
        return "a very large number"
    return clean(value, 40) if isinstance(value, str) else clean(str(value)[:40], 40)


def settings(payload: Mapping[str, Any]) -> str:
    """Return small values by name: "temperature 0.7, n 1"."""
    pairs = [
        (key, value) for key, value in some(payload.items()) if isinstance(value, (int, float, str)) and value != ""
    ]
    return ", ".join(f"{clean(str(key), 24)} {scalar(value)}" for key, value in pairs[:3])


def scalars(payload: Mapping[str, Any]) -> str:
    """Return a summary of a payload that has no text: its small values, else its keys."""
    if len(payload) == 1:
        only = next(iter(payload.values()))
        if isinstance(only, str):
            return first_sentence(only) if has_text(only) else ""
    shown = settings(payload)
    if shown or not payload:
        return shown
    return f"{size_of(payload)}: {', '.join(clean(str(key), 24) for key in some(payload, 4))}"


# -- telling sentences -------------------------------------------------------------------------------------------

_EXCLAIMED = re.compile(
    r"(?:ok(?:ay)?|great|perfect|good|excellent|awesome|nice|right|exactly|alright|sure|certainly|of course|absolutely|"
    r"yes|no|done|fixed|updated|success|thanks|wow|hm+|(?:i )?see|(?:ah|oh)(?:,? (?:yes|no|wait|right|i see))?|"
    r"got it|(?:i )?found it|understood|interesting|almost there|looks good|that worked|it works|"
    r"(?:good|great|excellent|fair|nice) (?:question|point|idea|call|catch|news|work)|"
    r"you(?:'re| are) (?:absolutely )?right|right, exactly|that makes sense|makes sense|"
    r"(?:now )?i(?: now| can)? (?:see|found|understand|have)(?: now)? (?:the|an?|two|three|several|some|all the)"
    r"(?: (?:full|real|main|key|relevant|clear|good))? (?:issues?|problems?|bug|context|picture|situation|"
    r"structure|code)|"
    r"(?:that's|this is|here's) the (?:key |real |main )?(?:issue|problem|bug)|"
    r"the (?:issue|problem|fix|solution|bug) is(?: clear| simple| straightforward| here)?|"
    r"i need to|here's the (?:flow|plan|fix|summary)|"
    r"(?:已)?完成(?:了)?|好的|明白了?|我[來来](?:幫|帮)[你您](?:處理|处理)?(?:這些|这些|一下)?(?:任務|任务)?|"
    r"はい|了解(?:しました|です)?|承知(?:いた)?しました|わかりました|完了(?:しました|です)?)[.!:,…。！：，]*",
    re.IGNORECASE,
)
"""Exclamations that say nothing about the work."""
_HEADING = re.compile(
    r"(?:(?:the|my|our) )?(?:plan|summary|overview|introduction|next steps?|(?:key )?changes(?: made)?|analysis|"
    r"results?|conclusion|steps?|notes?|details|background|context|status|update|answer|response|output|task|todos?|"
    r"so|now)[:.]*",
    re.IGNORECASE,
)
"""Headings that say nothing, because any text may have them."""
_LONGEST = 40
"""Most characters of a sentence that may say nothing."""
_LONGEST_LEAD = 48
"""Most characters of a leading sentence that leave room in a title for what it leads to."""
_LOOKED_AT = 4
_RULES = "-*_="
_LAST_RULE = 0x25FF
"""The last code point of the signs that lines and boxes are drawn with."""
_SIGN = re.compile(r"^[^\w\s(\[{\"'“‘`/.$@<-]+\s*(?=\w)")
"""A sign before a sentence, as a check mark."""


def says_nothing(sentence: str, *, spoken_by_a_person: bool = False) -> bool:
    """Whether a sentence is a heading, a rule or an exclamation; an exclamation of a person says something."""
    if len(sentence) > _LONGEST:
        return False
    bare = _SIGN.sub("", sentence.strip())
    if not any(letter.isalpha() for letter in bare):  # a rule or a number; a picture of a thumb is an answer
        return bare.strip(".)").isdigit() or not any(ord(letter) > _LAST_RULE for letter in bare)
    return bool(_HEADING.fullmatch(bare) or (not spoken_by_a_person and _EXCLAIMED.fullmatch(bare)))


def telling_first(text: str, most: int | None = None, *, spoken_by_a_person: bool = False) -> str:
    """The first sentence that says something, else the first; cleaned, of one longer than `most` at least that much.

    An agent's short sentence that leads to another comes with it: "I made two changes: the reader closes its file".
    """
    first = first_sentence(text) if most is None else first_sentence(text, most)
    if not says_nothing(first, spoken_by_a_person=spoken_by_a_person):
        leads = first.endswith((":", "：")) and len(first) <= _LONGEST_LEAD and not spoken_by_a_person
        if not leads or "```" in text[: len(first) + _LONGEST_LEAD]:  # a program says nothing in a title
            return first
        return " ".join([first, *map(first_sentence, sentences(text)[1:2])])
    for sentence in sentences(text)[1:_LOOKED_AT]:
        if not says_nothing(sentence, spoken_by_a_person=spoken_by_a_person):
            return first_sentence(sentence)
    return first


def in_quotes(title: str) -> str:
    """A title in quotation marks, unless it has or begins with some: “Review”: sub-agent starts."""
    return title if title.startswith("“") else f"“{title}”"
