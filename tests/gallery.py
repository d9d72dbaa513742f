"""A run that holds one payload of every kind that is shown in a way of its own: `python -m tests.gallery FILE.tine`."""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from opentine_gui.core import Graph, RunRecord, RunStatus, Step, write
from opentine_gui.core.edit.new_step import new_step

STARTED = 1_790_000_000.0
REPORT = """# Importer crash: what happened

The importer dies with `KeyError: 'parent_uuid'` as soon as a session was **rewound**. A rewind writes a
second root, and the reader takes it for granted that *every* record but the first has a parent. See
[the format](https://example.org/format#rewind).

## What I changed

1. `reader.py`: a record without a parent starts a branch of its own.
2. `summary.py`: joins parallel results **before** it counts them.
   - the count is the same as before for every run without a rewind
- [x] tests for two roots
- [ ] ask whether the first root may be dropped

> The first root has no parent: ask.

| File | Edits | Reads | Failed |
|---|---:|---:|---|
| reader.py | 5 | 14 | no |
| summary.py | 3 | 9 | yes |

```python
def link(records: list[Record]) -> None:
    \"\"\"Join records to a tree.\"\"\"
    by_id = {r.uuid: r for r in records}
    for r in records:
        parent = by_id.get(r.get("parent_uuid"))  # None for a root
        if parent is not None:
            parent.children.append(r)
```

All tests pass: **216 passed**, ~~2 failed~~.
"""
TRACE = """collected 216 items
Traceback (most recent call last):
  File "/home/kim/importer/src/reader.py", line 41, in records
    yield by_id[r["parent_uuid"]]
          ~~~~~^^^^^^^^^^^^^^^^^^
KeyError: 'parent_uuid'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/kim/importer/src/cli.py", line 12, in main
    run(arguments)
  File "/home/kim/importer/src/run.py", line 77, in run
    for record in records(path):
  File "/home/kim/importer/src/summary.py", line 88, in link
    parent = by_id[r["parent_uuid"]]
  File "/usr/lib/python3.11/json/__init__.py", line 299, in load
    return loads(fp.read(),
  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode
    obj, end = self.raw_decode(s, idx=_w(s, 0).end())
importer.errors.ImportFailed: record 88 has no parent: 'parent_uuid' was not recorded
"""
DIFFERENCE = """diff --git a/src/reader.py b/src/reader.py
index 3f2a1c0..9b1c77e 100644
--- a/src/reader.py
+++ b/src/reader.py
@@ -84,6 +84,8 @@ def link(records):
 def link(records):
     by_id = {r.uuid: r for r in records}
     for r in records:
-        parent = by_id[r["parent_uuid"]]
+        parent = by_id.get(r.get("parent_uuid"))
+        if parent is None:
+            continue
         parent.children.append(r)

diff --git a/tests/test_reader.py b/tests/test_reader.py
new file mode 100644
--- /dev/null
+++ b/tests/test_reader.py
@@ -0,0 +1,3 @@
+def test_two_roots():
+    link([Record("a"), Record("b")])
+    assert True
"""
TERMINAL = (
    "\x1b[1m============================= test session starts =============================\x1b[0m\n"
    "collected 216 items\n\n"
    + "".join(
        f"tests/test_reader.py::test_{name} \x1b[32mPASSED\x1b[0m\x1b[32m  [{share:3}%]\x1b[0m\n"
        for share, name in enumerate(("roots", "rewind", "links", "order", "unicode", "empty", "large", "broken"), 90)
    )
    + "tests/test_summary.py::test_counts \x1b[31mFAILED\x1b[0m\n\n"
    "\x1b[31m\x1b[1m_______________________________ test_counts _______________________________\x1b[0m\n"
    "\x1b[1m\x1b[31mE   KeyError: 'parent_uuid'\x1b[0m\n"
    "\x1b[41;97m FAIL \x1b[0m \x1b[38;5;208mtests/test_summary.py\x1b[0m \x1b[38;2;90;90;200m(slow: 12.4 s)\x1b[0m\n"
)
TABLE = "file,edits,reads,cost,note\n" + "".join(
    f'src/module_{number}.py,{number * 3 % 17},{number * 7 % 23},{number * 0.0123:.4f},"said ""no"", left"\n'
    for number in range(60)
)
LEVELS = ("INFO", "DEBUG", "INFO", "WARNING", "INFO", "ERROR", "DEBUG")
LOG = "".join(
    f"2026-11-22 06:{number // 60 % 60:02}:{number % 60:02},{number * 37 % 1000:03} {LEVELS[number % 7]} "
    f"importer.reader: record {number} read in {number % 97} ms, parent {number - 1 if number % 13 else 'none'}\n"
    for number in range(5000)
)
CODE = REPORT.partition("```python\n")[2].partition("```")[0]
SCRIPTS = """# 导入器在回退时崩溃

- 第一项：读取记录
- 第二项：**修复** `reader.py` 🚀 ✅

これはテストです。 Ünïcödé → ≤ ✓ ☑ 한국어 🔥
"""


def picture(form: str = "PNG", size: tuple[int, int] = (960, 540)) -> str:
    """A picture with lines and a disc, as base64."""
    image = Image.new("RGB", size, (24, 28, 34))
    draw = ImageDraw.Draw(image)
    wide, high = size
    for x in range(-high, wide, 24):
        draw.line((x, high, x + high, 0), fill=(60 + x % 120, 120, 220 - x % 90), width=4)
    draw.ellipse((wide / 3, high / 4, wide * 2 / 3, high * 3 / 4), fill=(255, 200, 87))
    held = io.BytesIO()
    image.save(held, form)
    return base64.b64encode(held.getvalue()).decode()


def payloads() -> dict[str, dict[str, Any]]:
    """(name of a step's work: what `new_step` takes for it), in the order of the run."""
    numbered = "".join(f"{number:6}\t{line}\n" for number, line in enumerate(CODE.splitlines(), 84))
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture()}}

    def tool(name: str, inputs: dict[str, Any], outputs: Any, **more: Any) -> dict[str, Any]:
        return {"kind": "tool", "inputs": inputs, "outputs": {"result": outputs}, "tool_info": {"name": name}, **more}

    return {
        "question": {"kind": "think", "inputs": {"text": "The importer dies on a rewind. Find out why."}},
        "read": tool("read", {"file_path": "src/reader.py", "offset": 84}, numbered),
        "tests": tool("bash", {"command": "python -m importer sessions/"}, TRACE,
                      error={"message": TRACE, "exit_code": 1}),
        "edit": tool("edit", {"file_path": "src/reader.py"}, DIFFERENCE),
        "again": tool("bash", {"command": "pytest -q\nexit 0"}, TERMINAL),
        "table": tool("bash", {"command": "cat edits.csv"}, TABLE),
        "screen": tool("screenshot", {"page": "graph"}, [image]),
        "log": tool("bash", {"command": "cat importer.log"}, LOG),
        "nested": tool("fetch", {"url": "https://example.org"}, '{"runs": [{"id": 1, "tags": ["a"]}], "next": null}'),
        "scripts": {"kind": "model", "inputs": {"prompt": "Say it in Chinese"}, "outputs": {"text": SCRIPTS}},
        "report": {"kind": "model", "inputs": {"prompt": "Write a report"}, "outputs": {"text": REPORT}},
    }  # fmt: skip


def gallery() -> tuple[RunRecord, dict[str, str]]:
    """(the run, the id of each step by the name of its work)."""
    steps: list[Step] = []
    ids: dict[str, str] = {}
    for number, (name, made) in enumerate(payloads().items()):
        parents = [steps[-1].id] if steps else []
        kind, inputs, *_ = made["kind"], made["inputs"]
        rest = {key: value for key, value in made.items() if key not in ("kind", "inputs")}
        steps.append(new_step(kind, inputs, parents, timestamp=STARTED + number, duration=0.5, **rest))
        ids[name] = steps[-1].id
    record = RunRecord(
        run_id="gallery",
        status=RunStatus.COMPLETED,
        created_at=STARTED,
        graph=Graph.of(steps),
        refs={"main": steps[-1].id},
        metadata={"title": "One payload of every kind"},
    )
    return record, ids


if __name__ == "__main__":
    write(Path(sys.argv[1]), gallery()[0])
