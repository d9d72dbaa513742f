"""Text as agents leave it in a run: prose, code, diffs, coloured logs, JSON in strings, other scripts, emoji.

A language model writes curly quotes and emoji, a tool answers with whatever the terminal printed. In a file all of it
is escaped to ASCII, and readers spend their time on escapes, which plain words do not have.
"""

from __future__ import annotations

import json
from functools import cache
from random import Random

POOL = 1 << 16
"""Length in characters of the pool of each kind of text, from which passages are cut."""
LONG = 200_000
"""Characters of the longest passage, such as a log that was read as a whole."""

_ENGLISH = (
    "I’ll start with the failing test and work back from there. ",
    "The parser never sees the second header — it’s swallowed by the “lenient” branch. ",
    "That explains why the retry succeeded: the cache was warm by then. ",
    "Let me read the module before I change anything. ",
    "Three of the four sources agree; the fourth gives no date… ",
    "So the fix is one line, plus a test that fails without it. ",
    "We shouldn’t trust the exit code here, the wrapper always returns 0. ",
)
_CHINESE = (
    "我先看一下失败的测试，再决定怎么改。",
    "缓存里的数据已经过期，需要重新请求一次。",
    "テストは通りましたが、警告が二つ残っています。",
    "설정 파일을 찾을 수 없어서 기본값을 사용했습니다. ",
    "该函数在输入为空时会返回“无结果”，这与文档不符。",
)
_CHAT = (
    "✅ Done! All checks pass 🎉 ",
    "⚠️ Heads up: the migration is not reversible 🙈 ",
    "🔍 Looking at the logs… found it 🐛 ",
    "👩‍💻 Reviewed by a person, 👍🏽 from the team. ",
    "🚀 Deployed to staging, 📈 error rate unchanged. ",
)
_CODE = (
    'def read(path: str) -> dict[str, Any]:\n    """Read a file."""\n    with open(path, encoding="utf-8") as file:\n',
    '        return {key: value.strip("\\n\\t ") for key, value in parse(file).items()}\n\n',
    'const pattern = /^\\s*"([^"\\\\]|\\\\.)*"\\s*:/;\nif (!pattern.test(line)) { throw new Error(`bad: ${line}`); }\n',
    "SELECT id, name FROM runs WHERE status = 'failed' AND cost > 0.5 ORDER BY created_at DESC;\n",
)
_LOG = (
    "\x1b[32m.\x1b[0m\x1b[32m.\x1b[0m\x1b[31mF\x1b[0m\x1b[33ms\x1b[0m                                      [ 42%]\r\n",
    "\x1b[1m\x1b[31mE       AssertionError: assert 'caf\u00e9' == 'cafe\u0301'\x1b[0m\n",
    "\x1b[31mFAILED\x1b[0m tests/test_reader.py::\x1b[1mtest_names\x1b[0m - AssertionError\n",
    "\x1b[36mINFO\x1b[0m     worker:pool.py:118 finished 128 of 4096 tasks in 3.20s\n",
    "WARNING: deprecated option '--fast'; use '--speed=high' instead\n",
)
_PATHS = (
    "C:\\Users\\ana\\AppData\\Local\\Temp\\run-17\\output.json\n",
    "\\\\fileserver\\projects\\reader\\src\\tables.py: 41 matches\n",
    "/srv/app/releases/2026-02-01/config/settings.yaml\n",
)
_DIFF = (
    "--- a/reader/tables.py\n+++ b/reader/tables.py\n@@ -118,7 +118,8 @@ def rows(text):\n",
    '-    return [line.split("\\t") for line in text.splitlines()]\n',
    '+    return [line.rstrip("\\r").split("\\t") for line in text.split("\\n")]\n+\n     # “smart” quotes are kept\n',
)


def _json_pieces(random: Random) -> str:
    found = {"id": random.randrange(10**6), "path": random.choice(_PATHS).strip(), "ok": random.random() < 0.9}
    return json.dumps({**found, "note": random.choice(_CHAT), "score": round(random.random(), 4)}) + "\n"


KINDS = {
    "english": 40,
    "code": 15,
    "log": 12,
    "json": 10,
    "diff": 8,
    "chinese": 6,
    "chat": 5,
    "paths": 4,
}
"""Passages of each kind, in percent."""
_PIECES = {
    "english": _ENGLISH,
    "code": _CODE,
    "log": _LOG,
    "diff": _DIFF,
    "chinese": _CHINESE,
    "chat": _CHAT,
    "paths": _PATHS,
}
_ORDER = [kind for kind, share in KINDS.items() for _ in range(share)]


@cache
def _pool(kind: str) -> str:
    """The pool of one kind: a long text, always the same."""
    random = Random(kind)
    pieces: list[str] = []
    length = 0
    while length < POOL:
        piece = _json_pieces(random) if kind == "json" else random.choice(_PIECES[kind])
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces)


def passage(random: Random, length: int) -> str:
    """`length` characters of a random kind; a passage longer than its pool repeats it."""
    pool = _pool(random.choice(_ORDER))
    start = random.randrange(len(pool))
    found = pool[start : start + length]
    while len(found) < length:
        found += pool[: length - len(found)]
    return found


def length_of(random: Random, typical: int) -> int:
    """A random length: mostly about `typical`, often shorter, sometimes ten times that, one in 4,000 `LONG`."""
    drawn = random.random()
    if drawn < 1 / 4000:
        return LONG
    if drawn < 0.3:
        return random.randrange(1, max(2, typical // 4))
    if drawn < 0.97:
        return random.randrange(typical // 4 + 1, typical + 2)
    return random.randrange(typical, 10 * typical + 1)
