"""Cleans recorded text, which reaches the screen only through here, and elides it by pixel width.

Every text is cut before it is cleaned: `clean` cuts it to what is shown, `drawable` to what the window can draw, and
`clean_whole` into pieces if all of it is needed. Recorded text is hostile: it may hold terminal escapes, direction
overrides that show one thing and mean another, lone surrogates that crash text renderers, and megabytes where a line
was expected.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import Protocol

ELLIPSIS = "…"
REPLACEMENT = "\ufffd"
LONGEST_DRAWN = 4096
"""Most characters of one text that are passed to a widget or a drawing: a line of this length is wider than any
display."""
PIECE = 1 << 16
"""Characters that are cleaned at once if a whole text is needed: about a millisecond."""

# Takes linear time, although an unterminated string sequence loses only its starter. Where its text may hold other
# starters, as 8-bit ones can be, the text is matched with it: otherwise each of them would search it again for an end.
# Each match costs a call, so adjacent sequences are one match. `*+` and `++` do not backtrack.
_CONTROL = r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"  # control sequences: colours, cursor moves
_SHORT = r"\x1b(?![\]PX^_])[ -/]*+[0-~]"  # a few characters: character sets, modes, what begins no control sequence
_STARTER, _STARTER_8_BIT = r"\x1b[\]PX^_]", r"[\x90\x98\x9d-\x9f]"
_TEXT, _END = r"[^\x07\x1b\x9c]*+", r"(?:\x07|\x1b\\|\x9c)"
_ESCAPES = re.compile(rf"(?:{_CONTROL}|{_STARTER}{_TEXT}{_END}|{_SHORT})++|{_STARTER}")
_STARTERS = rf"(?:{_STARTER}|{_STARTER_8_BIT})"
_ESCAPES_8_BIT = re.compile(
    rf"(?:{_CONTROL}|{_STARTERS}(?:{_TEXT}{_END}|(?=\x1b))|{_SHORT})++|{_STARTERS}(?P<text>{_TEXT})"
)
_CONTROLS = re.compile(_CONTROL)
_BEGINS_8_BIT_STRING = re.compile(_STARTER_8_BIT)
_BEGINS_ESCAPE = re.compile("[\x1b\x90\x98\x9b\x9d-\x9f]")
_LINE_ENDS = re.compile(r"\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile(r" {2,}")
# Stacked accents (in the blocks made for them) run into the neighbouring lines: three per letter are enough.
_ACCENTS = r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACKED_ACCENTS = re.compile(f"({_ACCENTS}{{3}}){_ACCENTS}+")
PLACEHOLDER = "\u25cc"
"""A dotted circle: the letter of marks that have none of their own, as Unicode draws them (chapter 2.11)."""
MOST_MARKS = 4
"""Marks per letter in any script: a pointed Hebrew letter with its accents has as many, floods have hundreds."""
# Blocks that hold the marks of all scripts, with letters.
_MARKED = (
    "\u0300-\u1fff\u20d0-\u20ff\u2cef-\u2dff\u302a-\u309f\ua66f-\uabff\ufb1e\ufe00-\ufe2f"
    "\U000101fd-\U00011fff\U00016a00-\U0001e94f"
)
_SEAM = 2 * MOST_MARKS
"""Characters on either side of a border that can belong to one flood once there is none within a piece."""
_A_MARK = "\u0300"
_FLOOD = re.compile(f"{_A_MARK}{{{MOST_MARKS + 1},}}+")
# Letters and marks that draw nothing although their category says otherwise.
_INVISIBLE = frozenset(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0x1F3FB, 0x1F400),  # skin tones: emoji are drawn in one colour
        *range(0xE0100, 0xE01F0),
    ]
)
_BEFORE_A_CUT = f" {ELLIPSIS}"
"""What a text that is cut does not end with before its "…": one that was cut before is not marked twice."""
_ENOUGH = 160
"""Characters read beyond the limit: a text without escapes that goes on for as long nearly always has to be cut."""


class Measures(Protocol):
    """The part of font metrics that eliding needs."""

    def width(self, text: str, face: str, size: float) -> float:
        """Return the width in pixels."""
        ...


class _Letters(dict[int, str | int | None]):
    """A translation table that classifies a code point by its category when it is first seen."""

    def __missing__(self, code: int) -> str | int | None:
        category = unicodedata.category(chr(code))
        result: str | int | None = code
        if code in _INVISIBLE or category in ("Cc", "Cf"):
            result = None
        elif category == "Zs":
            result = " "
        elif category in ("Cs", "Cn", "Co"):
            result = REPLACEMENT
        if len(self) < 20_000:
            self[code] = result
        return result


_LETTERS = _Letters({0x0A: "\n", 0x09: "    "})


class _Marks(dict[int, str]):
    """A translation table that gives all marks one character, and all else another, when they are first seen."""

    def __missing__(self, code: int) -> str:
        result = _A_MARK if unicodedata.category(chr(code)) in ("Mn", "Me") else "a"
        if len(self) < 20_000:
            self[code] = result
        return result


_MARKS = _Marks()


def clean(text: str, limit: int = 4000, *, lines: bool = False) -> str:
    """Return `text` made safe to draw, at most `limit` characters; idempotent, never raises.

    Terminal escapes, control, direction, zero-width and other invisible characters are removed; lone surrogates,
    private and unassigned characters become U+FFFD; all line ends become a newline (`lines=True`) or a space. Without
    `lines`, runs of spaces are folded and the ends trimmed. Truncated text ends with "…". An unterminated string
    sequence only loses its starter: a terminal would hide the rest, but one stray byte must not hide what was
    recorded. Takes time proportional to the text, whatever it contains.
    """
    limit = max(limit, 1)
    front = text[: limit + _ENOUGH]
    longer = len(front) < len(text)
    if _stays(front.replace("\n", "") if lines else front) and (lines or _is_tidy(front, longer)):  # most text is so
        return text if len(text) <= limit else front[: limit - 1].rstrip(_BEFORE_A_CUT) + ELLIPSIS
    if longer and not may_escape(front):
        # The rest of the text could only change the last of these characters: if there are enough, it is not read.
        piece = begun(_in_a_line(_cleaned(front), lines))
        if len(piece) > limit + 8:
            return piece[: limit - 1].rstrip(_BEFORE_A_CUT) + ELLIPSIS
    # Escapes and invisible characters may come first: look further than the limit, but never through megabytes.
    cut = len(text) > 8 * limit + 4096
    piece = text[: 8 * limit + 4096] if cut else text
    piece = begun(_in_a_line(_cleaned(piece), lines))
    if len(piece) > limit or cut:
        piece = piece[: limit - 1].rstrip(_BEFORE_A_CUT) + ELLIPSIS
    return piece


def may_escape(text: str) -> bool:
    """Whether an escape sequence may begin in the text, so that what follows it could change how it reads."""
    return _BEGINS_ESCAPE.search(text) is not None


def clean_whole(text: str, *, lines: bool = False) -> str:
    """Return all of `text` made safe as by `clean`, a piece of it at a time; for what is read, printed or copied.

    In a job, other threads get their turn between pieces; only making one line of the whole is a single call.
    """
    return begun(_in_a_line("".join(_joined(_cleaned(text[begin:end]) for begin, end in _pieces(text))), lines))


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces without floods of marks, those that cross a border between pieces included."""
    end = ""
    for piece in pieces:
        if end and piece and not piece[0].isascii():
            seam = _without_floods(end + piece[:_SEAM])  # `end` stays as it is: the first marks of a flood are kept
            piece = seam[len(end) :] + piece[_SEAM:]
        yield piece
        end = (end + piece[-_SEAM:])[-_SEAM:]


@cache
def _marked_blocks() -> re.Pattern[str]:
    """Five characters in a row from blocks that hold marks: a text without them has no flood. Compiled late, like
    `_rare`."""
    return re.compile(f"[{_MARKED}]{{{MOST_MARKS + 1},}}+")


@cache
def _rare() -> re.Pattern[str]:
    """Characters that may be marks or invisible letters: printable text without them stays as it is.

    Compiled on first use: that takes milliseconds, which `--help` should not wait for.
    """
    return re.compile(f"[{_MARKED}\u3164\uffa0\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef]")


def _stays(line: str) -> bool:
    """Whether no character of a line is invisible, controls the terminal, or may be one mark too many."""
    return line.isprintable() and (line.isascii() or not _rare().search(line))


def _cleaned(piece: str) -> str:
    """Return a text without escapes, invisible characters and floods; its length is for the caller to bound."""
    plain = piece.replace("\n", "")
    if _stays(plain):
        return piece  # most text ends here
    if plain.isprintable():  # then it has neither escapes nor other line ends, nor halves of pairs
        return _without_floods(piece.translate(_LETTERS))
    piece = piece.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    piece = _LINE_ENDS.sub("\n", _without_escapes(piece))
    return _without_floods(piece.translate(_LETTERS))


def _in_a_line(text: str, lines: bool) -> str:
    """Return the text unchanged if it may have several `lines`, else as one line with single spaces between words."""
    if lines:
        return text
    text = text.replace("\n", " ")
    return (_SPACES.sub(" ", text) if "  " in text else text).strip(" ")


def begun(text: str) -> str:
    """Return the text with a base letter for the marks it begins with, which would otherwise stack on the text before
    it."""
    return PLACEHOLDER + text if text and unicodedata.category(text[0]) in ("Mn", "Me") else text


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Where the pieces of a text begin and end: after a line end if one is near, and never between CR and LF."""
    begin = 0
    while begin < len(text):
        end = min(begin + PIECE, len(text))
        if end < len(text):
            end = text.rfind("\n", begin, end) + 1 or end + (text[end - 1 : end + 1] == "\r\n")
        yield begin, end
        begin = end


def drawable(text: str) -> str:
    """Return one line of text as the window may draw it: cut, then cleaned; a short clean text stays as it is.

    This is the last safeguard: views clean what they show and know how much of it they need; what one forgets is
    cleaned here.
    """
    if len(text) > LONGEST_DRAWN:
        text = text[: LONGEST_DRAWN - 1] + ELLIPSIS
    return text if text.isascii() and text.isprintable() else _drawn(text)


@lru_cache(maxsize=4096)
def _drawn(text: str) -> str:
    return clean(text, LONGEST_DRAWN, lines=True).replace("\n", " ")


def _without_escapes(text: str) -> str:
    """Return the text without terminal escapes; a string that nothing ends keeps its text."""
    if _BEGINS_8_BIT_STRING.search(text) is None:
        return _ESCAPES.sub("", text)
    return _ESCAPES_8_BIT.sub(_left_of_escapes, text)


def _left_of_escapes(found: re.Match[str]) -> str:
    """Return what remains of escapes: nothing, or the text of an unterminated string sequence."""
    text = found["text"]
    if not text:
        return ""
    return _CONTROLS.sub("", text) if "\x9b" in text else text


def _without_floods(text: str) -> str:
    """Return the text with at most a few marks on each letter, whatever the script."""
    if text.isascii():
        return text
    text = _STACKED_ACCENTS.sub(r"\1", text)
    return _marked_blocks().sub(_without_flood, text)


def _without_flood(found: re.Match[str]) -> str:
    """Return characters of blocks with marks, without floods; a regular expression for all marks takes 2 µs per
    character."""
    text = found[0]
    pieces = []
    at = 0
    for flood in _FLOOD.finditer(text.translate(_MARKS)):
        pieces.append(text[at : flood.start() + MOST_MARKS])
        at = flood.end()
    return "".join((*pieces, text[at:])) if at else text


def _is_tidy(text: str, cut: bool = False) -> bool:
    """Whether a line has only single spaces and none at its ends; a line that was cut may end with one."""
    return "  " not in text and not text.startswith(" ") and (cut or not text.endswith(" "))


def shortened_end(text: str, width: float, face: str, size: float, metrics: Measures) -> str:
    """Return `text`, its end replaced by "…" if it is wider than `width` pixels; "" if not even that fits.

    A call on a file keeps the file's name and loses folders instead: such calls differ in the name.
    """
    if len(text) > LONGEST_DRAWN:  # cut before it is measured
        text = text[: LONGEST_DRAWN - 1] + ELLIPSIS
    if metrics.width(text, face, size) <= width:
        return text
    if _CALL_OF_A_FILE.match(text):
        return _shortened_call(text, width, face, size, metrics)
    kept = _longest(lambda count: metrics.width(_cut_end(text, count), face, size) <= width, len(text))
    return "" if kept is None else _cut_end(text, kept)


def whole_words(text: str, most: int) -> str:
    """The beginning of a text, at most `most` characters: whole words, unless that would leave little of it."""
    if len(text) <= most:
        return text
    end = text.rfind(" ", 0, most + 1)
    return text[: end if end >= most // 2 else most]


_LOST_QUOTES = (" “", " ”", ' "', " ‘", " ’")


def _cut_end(text: str, count: int) -> str:
    """The first characters and "…", without dots and spaces before it, which would only make it longer."""
    kept = text[:count].rstrip()
    while kept.endswith(_LOST_QUOTES):  # of what was quoted and cut before, a quote with nothing before it is left
        kept = kept[:-1].rstrip()
    return (kept.rstrip(f".{_BEFORE_A_CUT}") or kept.removesuffix(ELLIPSIS)) + ELLIPSIS


_CALL_OF_A_FILE = re.compile(r"((?:Calls )?[\w.-]+\()[^\s\"()]*[/\\][^\s\"()]*\)$")


_LEAST_OF_A_NAME = 6
"""Least number of characters of a file's name, with the bracket after it, that tell more than the beginning of its
path."""


def shorter_calls(text: str) -> Iterator[str]:
    """A call on a file with fewer and fewer of its folders, at last without any; nothing if `text` is no such call."""
    call = _CALL_OF_A_FILE.match(text)
    if call is not None:
        yield from (text[: call.end(1)] + ELLIPSIS + text[sign.start() :] for sign in _FOLDER.finditer(text))


_FOLDER = re.compile(r"[/\\]")


def _shortened_call(text: str, width: float, face: str, size: float, metrics: Measures) -> str:
    """A call on a file with as many of its last folders as there is room for, or with only the end of its name."""
    shown = ""
    for shown in shorter_calls(text):
        if metrics.width(shown, face, size) <= width:
            return shown
    call, _, name = shown.partition(ELLIPSIS)
    kept = _longest(
        lambda count: metrics.width(call + ELLIPSIS + name[len(name) - count :], face, size) <= width, len(name)
    )
    if kept is None or kept < _LEAST_OF_A_NAME:
        return shortened_middle(text, width, face, size, metrics)
    return call + ELLIPSIS + name[len(name) - kept :]


def shortened_middle(text: str, width: float, face: str, size: float, metrics: Measures) -> str:
    """Return `text`, its middle replaced by "…" if it is wider than `width` pixels; for paths and ids."""
    if len(text) > LONGEST_DRAWN:
        text = text[: LONGEST_DRAWN // 2 - 1] + ELLIPSIS + text[-LONGEST_DRAWN // 2 :]
    if metrics.width(text, face, size) <= width:
        return text

    def cut(count: int) -> str:
        head = (count + 1) // 2
        return text[:head].rstrip(ELLIPSIS) + ELLIPSIS + text[len(text) - (count - head) :].lstrip(ELLIPSIS)

    kept = _longest(lambda count: metrics.width(cut(count), face, size) <= width, len(text) - 1)
    return "" if kept is None else cut(kept)


def cut_in_middle(name: str) -> bool:
    """Whether a name that is too long is cut in its middle: names of files differ at the end, sentences do not."""
    return " " not in name.strip()


def _longest(fits: Callable[[int], bool], most: int) -> int | None:
    """Return the largest count that fits, by binary search: widths grow with the count."""
    if not fits(0):
        return None
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


@lru_cache(maxsize=4096)
def clean_id(identifier: str) -> str:
    """Return the short form of an id, cleaned."""
    from opentine_gui.core.model import SHORT_ID_LENGTH, short_id  # not above: `--help` needs `clean`, and no core

    return clean(short_id(identifier), SHORT_ID_LENGTH)
