"""Detects what a recorded text is, from the text itself and from a file name or language, if one is known.

Looks only at the beginning, so the cost does not depend on the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from opentine_gui.core.format.late_pattern import late_pattern

Kind = Literal["code", "diff", "json", "log", "markdown", "prose", "table", "terminal", "text", "trace"]

LOOKED_AT = 20_000
"""Characters at the beginning that are examined."""
MOST_LINES, MOST_OF_A_LINE = 200, 400
"""Most lines, and most characters of each, that are matched: some patterns take quadratic time in a line."""

SUFFIX_LANGUAGES = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".jsx": "javascript", ".ts": "typescript", ".tsx": "typescript", ".java": "java", ".kt": "kotlin", ".go": "go",
    ".rs": "rust", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cs": "csharp", ".rb": "ruby",
    ".php": "php", ".swift": "swift", ".scala": "scala", ".sh": "bash", ".bash": "bash", ".zsh": "bash", ".sql": "sql",
    ".html": "html", ".htm": "html", ".xml": "xml", ".svg": "xml", ".css": "css", ".scss": "css", ".yaml": "yaml",
    ".yml": "yaml", ".toml": "toml", ".ini": "ini", ".cfg": "ini", ".lua": "lua", ".r": "r", ".json": "json",
    ".ps1": "powershell",
}  # fmt: skip
ALIASES = {
    "py": "python", "python3": "python", "js": "javascript", "node": "javascript", "ts": "typescript",
    "tsx": "typescript", "jsx": "javascript", "golang": "go", "rs": "rust", "c++": "cpp", "c#": "csharp",
    "cs": "csharp", "rb": "ruby", "shell": "bash", "sh": "bash", "zsh": "bash", "console": "bash", "yml": "yaml",
    "htm": "html", "md": "markdown", "jsonc": "json", "json5": "json", "patch": "diff", "kts": "kotlin",
    "postgresql": "sql", "dockerfile": "docker", "make": "makefile",
}  # fmt: skip
LANGUAGES = {*SUFFIX_LANGUAGES.values(), "docker", "makefile"}

_SGR = late_pattern(r"(?:\x1b\[|\x9b)[0-9;:]*m")
_DIFF = late_pattern(
    r"^(?:diff --git .+|Index: .+|--- .+\n\+\+\+ .+|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*|\*\*\* Begin Patch)$",
    re.MULTILINE,
)
_JSON = late_pattern(r"\s*[\[{]\s*(?:[\"\[{\]}\d-]|true|false|null)")
_FENCE = late_pattern(r"^[ \t]*+(?:```|~~~)", re.MULTILINE)
_TRACE = late_pattern(
    r"^(?:[ \t|+]*+(?:Exception Group )?Traceback \(most recent call last\):"
    r"|Exception in thread .+"
    r"|(?:Uncaught )?(?:[\w$]+\.)*(?:[A-Z][\w$]*)?(?:Error|Exception)\b.*\n(?:.*\n){0,8}?\s+at .+"
    r"|thread '.{0,200}' (?:\(\d+\) )?panicked at .+|panic: .+|goroutine \d+ \[.+\]:)",
    re.MULTILINE,
)
_TIME = r"(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)"
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL|PASSED|FAILED|SKIPPED|XFAIL|ok|FAIL|PASS)"
LOG_LINE = late_pattern(
    rf"^[\[(<]?{_TIME}|^\W{{0,3}}{_LEVEL}\b|^\S+ {_LEVEL}(?:\s|$)|^(?=\S+::\S)\S++ {_LEVEL}|^\[[\w.:-]+\] "
)
_HEADING = late_pattern(r"^#{1,6} \S", re.MULTILINE)
_FENCED = late_pattern(r"^[ \t]*+(?:```|~~~)[\w+-]*[ \t]*+$", re.MULTILINE)
_RULED = late_pattern(r"^[ \t]*+\|?(?:[ \t]*+:?-{3,}+:?[ \t]*+\|)+(?:[ \t]*+:?-{3,}+:?[ \t]*+)?$", re.MULTILINE)
_ITEM = late_pattern(r"^[ \t]*+(?:[-*+]|\d{1,3}[.)])(?: {1,4}|\t)\S", re.MULTILINE)
_INLINE = late_pattern(r"(?<!`)`[^`\n]+`(?!`)")
_MARKDOWN = (
    (_HEADING, 3),
    (_FENCED, 3),
    (_RULED, 3),
    (_ITEM, 1),
    (late_pattern(r"\*\*[^*\n]+\*\*"), 2),
    (_INLINE, 1),
    (late_pattern(r"\[[^\[\]\n]+\]\([^()\s]+\)"), 2),
)
_PRINTED = late_pattern(r"[\u2500-\u257f]|^> \S+@\d\S* \S+$|^[^\s:]+:\d+:(?:\d+:)? ", re.MULTILINE)
"""What programs print and nobody writes: lines drawn with characters, a script's name, a place in a file."""
_QUOTED = late_pattern(r"^> \S", re.MULTILINE)
"""A quote in Markdown, but as often the echo of a command: it counts only together with other signs."""
_CODE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("python", (r"^\s*(?:async )?def \w+\(.*:?$", r"^\s*class \w++.*:$", r"^(?:from [\w.]+ )?import [\w., ]+$",
                r"^\s*(?:if|for|while|with|try|except|elif|else)\b.*:$", r"^\s*(?:return|raise|yield)\b", r"^\s*@\w+",
                r"self\.\w+")),
    ("rust", (r"^\s*(?:pub )?fn \w+", r"^\s*use [\w:]+.*;$", r"^\s*let (?:mut )?\w+", r"^\s*impl\b", r"->\s*\w+.*\{$",
              r"^\s*#\[\w+")),
    ("go", (r"^package \w+$", r"^func (?:\(.*\) )?\w+\(", r":= ", r"^import (?:\(|\")",
            r"^type \w+ (?:struct|interface)")),
    ("java", (r"^\s*(?:public|private|protected) ", r"^import [\w.]+;$", r"^package [\w.]+;$", r"^\s*@Override",
              r"\bnew \w+\(.*\);$")),
    ("typescript", (r"^\s*(?:export )?interface \w+", r"^\s*(?:export )?type \w+ =", r":\s*(?:string|number|boolean)\b",
                    r"^import .* from ['\"]", r"^\s*(?:export )?(?:const|let|function|class) \w+")),
    ("javascript", (r"^\s*(?:export )?(?:default )?(?:async )?function\b", r"^\s*(?:const|let|var) \w+ =",
                    r"=> ?[{(]?$",
                    r"^import .* from ['\"]", r"\brequire\(['\"]", r"^\s*return\b.*;$", r"console\.\w+\(")),
    ("c", (r"^#include [<\"]", r"^#(?:define|ifdef|ifndef|pragma)\b",
           r"^\s*(?:int|void|char|static|struct|unsigned) .*[{;]$",
           r"^\s*return\b.*;$", r"->\w+")),
    ("sql", (r"(?i)^\s*select\b", r"(?i)^\s*(?:insert into|create (?:table|index|view)|update \w+ set|delete from)\b",
             r"(?i)^\s*(?:from|where|join|left join|group by|order by)\b")),
    ("bash", (r"^#!.*\b(?:ba|z|)sh\b", r"^\s*(?:if|while) \[", r"^\s*(?:fi|done|esac)$", r"^(?:export )?[A-Z_]+=\S",
              r"^\s*(?:echo|cd|sudo|apt-get|pip|npm|git|set -\w+|mkdir|curl|docker) ?\S*", r"\$\{?\w+\}?")),
    ("html", (r"(?i)^\s*<!doctype html", r"(?i)^\s*</?(?:html|head|body|div|span|p|a|ul|table|script|style)\b",)),
    ("xml", (r"^\s*<\?xml", r"^\s*</?[\w:-]++(?: [\w:-]++=\"[^\"]*+\")*+\s*/?>",)),
    ("css", (r"^\s*[.#]?[\w-]++(?:[ >,:.#][\w\s>,:.#-]*+)?\{$", r"^\s*[\w-]+:\s*[^;{]+;$")),
    ("toml", (r"^\[\[?[\w.\"-]+\]\]?$", r"^[\w-]+ = (?:\"|\[|\d|true|false)")),
    ("yaml", (r"^[\w-]+:$", r"^\s+- \w+", r"^\s*[\w-]+: \S")),
)  # fmt: skip
_CODE_LINES = tuple((name, tuple(late_pattern(one) for one in patterns)) for name, patterns in _CODE)
_NUMBERED = late_pattern(r"^ {0,8}(\d{1,7})(?:\t|→|│ ?|\| )(.*)$")


class Found(NamedTuple):
    """What a text is; `language` for code, `delimiter` for a table."""

    kind: Kind
    language: str = ""
    delimiter: str = ""


def recognise(text: str, hint: str = "", *, json: bool = True, trace: bool = True) -> Found:
    """What a text is. `hint` is a file name, a media type or a language; the text itself takes precedence.

    `json` or `trace` false means that the text is known not to be one.
    """
    head = text[:LOOKED_AT]
    lines = head.split("\n")
    if len(text) > LOOKED_AT and len(lines) > 1:
        lines.pop()  # cut off in the middle
    rows = [line for line in lines[:MOST_LINES] if line.strip()]
    lines = [line[:MOST_OF_A_LINE].rstrip("\r") for line in lines[:MOST_LINES]]
    begins = "\n".join(lines)
    filled = [line for line in lines if line.strip()]
    known = language_of(hint)
    if _SGR.search(head):
        return Found("terminal")
    if _leads(_DIFF, begins) and any(line[:1] in "+-" for line in filled):
        return Found("diff")
    if json and known in ("", "json") and _JSON.match(head):
        return Found("json")
    if trace and len(text) < LOOKED_AT and _leads(_TRACE, begins):
        return Found("trace")
    if known == "markdown":
        return Found("markdown")
    if known:
        return Found("code", known)
    delimiter = table_delimiter(rows, hint) or table_delimiter(_joined_rows(rows), hint)
    if delimiter:
        return Found("table", delimiter=delimiter)
    if len(filled) >= 3 and share(filled, LOG_LINE) >= 0.5:
        return Found("log")
    score = sum(min(len(pattern.findall(begins)), 4) * weight for pattern, weight in _MARKDOWN)
    score += min(len(_QUOTED.findall(begins)), 4) if score > 1 else 0
    language = code_language(filled)
    fenced = _FENCED.search(begins) is not None
    if score >= 3 and (not language or fenced or score >= 2 * len(filled)) and _is_built(begins, filled):
        return Found("markdown")
    if language:
        return Found("code", language)
    if not is_prose(filled):
        return Found("text")
    # A word in backticks is meant to be read as code, in a short answer too. Lines that Markdown would join stay apart.
    apart = not any(line.strip() and after.strip() for line, after in pairwise(lines))
    return Found("markdown" if apart and _INLINE.search(begins) and _PRINTED.search(begins) is None else "prose")


def _is_built(begins: str, filled: list[str]) -> bool:
    """Whether the Markdown signs are in Markdown blocks or prose: command output has backticks, too."""
    heads, items = len(_HEADING.findall(begins)), len(_ITEM.findall(begins))
    if heads > 1 or (heads and items) or _FENCED.search(begins) or _RULED.search(begins):
        return True
    return 3 * items >= len(filled) or (is_prose(filled) and _PRINTED.search(begins) is None)


def _leads(pattern: re.Pattern[str], head: str) -> bool:
    """Whether a pattern matches in a text, and not inside a code block of a text of another kind."""
    found = pattern.search(head)
    return found is not None and _FENCE.search(head, 0, found.start()) is None


def language_of(hint: str) -> str:
    """The language for a file name, a media type or an alias; "" if it is not known."""
    hint = hint.strip().lower()
    if not hint:
        return ""
    name = hint.rpartition("/")[2].removeprefix("x-")
    name = ALIASES.get(name, name)
    if name in LANGUAGES or name in ("markdown", "diff"):
        return name
    suffix = PurePosixPath(hint.replace("\\", "/")).suffix
    if suffix in (".md", ".markdown"):
        return "markdown"
    return SUFFIX_LANGUAGES.get(suffix, "")


def code_language(lines: list[str]) -> str:
    """The language of code, judged by lines that only code has; "" if there are too few of them."""
    if not lines:
        return ""
    best, most = "", 0.0
    for name, patterns in _CODE_LINES:
        hits = [sum(pattern.search(line) is not None for line in lines) for pattern in patterns]
        kinds = sum(hit > 0 for hit in hits)
        if kinds >= 2 and sum(hits) >= 0.3 * len(lines):
            score = kinds + sum(hits) / len(lines)
            if score > most:
                best, most = name, score
    return best


def table_delimiter(lines: list[str], hint: str = "") -> str:
    """The delimiter of a table: every line has as many as the first; "" if the text is not a table."""
    wanted = ("\t", ",") if hint.lower().endswith(".tsv") else (",", "\t", ";", "|")
    named = hint.lower().endswith((".csv", ".tsv"))
    if len(lines) < 2:
        return ""
    for delimiter in wanted:
        counts = [_outside_quotes(line, delimiter) for line in lines[:50]]
        least = 1 if named or delimiter == "\t" else 2
        if counts[0] >= least and sum(count == counts[0] for count in counts) >= 0.95 * len(counts):
            spaced = sum(_outside_quotes(line, f"{delimiter} ") > 0 for line in lines[:50])
            if delimiter == "\t" or named or spaced < 0.5 * len(counts):
                return delimiter
    return ""


def _joined_rows(lines: list[str]) -> list[str]:
    """Lines joined into rows where a quoted cell continues on the next line; an incomplete row is left out."""
    rows: list[str] = []
    pending: list[str] = []
    opened = False
    for line in lines:
        pending.append(line)
        opened ^= line.count('"') % 2 == 1
        if not opened:
            rows.append(" ".join(pending))
            pending = []
    return rows if len(rows) < len(lines) else []


def _outside_quotes(line: str, delimiter: str) -> int:
    return sum(part.count(delimiter) for part in line.split('"')[::2])


def numbered_lines(lines: Iterable[str]) -> list[tuple[str, str]] | None:
    """(number, text) for each line of a listing in which every line begins with its number; None for other texts.

    What a tool adds after it, following a blank line or as a tag, is left out.
    """
    found: list[tuple[str, str]] = []
    for line in lines:
        match = _NUMBERED.match(line)
        if match is None or (found and found[-1][0] and int(match[1]) != int(found[-1][0]) + 1):
            if line.strip() == "" and found:
                found.append(("", ""))
                continue
            if len(found) > 2 and (not found[-1][0] or line.startswith("<")):
                break
            return None
        found.append((match[1], match[2]))
    return found if len(found) >= 2 else None


def is_prose(lines: list[str]) -> bool:
    """Whether lines are sentences: words and spaces, without columns, indentation or symbols."""
    if not lines:
        return True
    text = "\n".join(lines)
    letters = sum(character.isalpha() or character in " ,.'’\n" for character in text)
    columns = sum("   " in line.strip() or line.startswith(("  ", "\t")) for line in lines)
    spaced = any(" " in line.strip() for line in lines) or not text.isascii()
    return spaced and letters >= 0.85 * len(text) and columns <= 0.2 * len(lines)


def share(lines: list[str], pattern: re.Pattern[str]) -> float:
    """The share of lines that begin with a match of a pattern."""
    return sum(pattern.match(line) is not None for line in lines) / max(len(lines), 1)
