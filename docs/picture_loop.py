"""Takes the series of docs/IMPORT.md: a session is opened, gone on from, followed while its agent writes, and compared.

The window is real and pressed with a real mouse. The agent is not: `Agent` stands in for it, and writes into the new
session, line by line, what Claude Code would. `python -m docs.picture_loop FOLDER` with HOME in a folder of its own.
"""

from __future__ import annotations

import copy
import json
import shutil
import sys
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

RECORDING = Path(__file__).parents[1] / "tests" / "data" / "recordings" / "claude-code" / "2.1.197-e-rewind" / "home"
FROM = "Second done."
"""What the answer says that is gone on from."""
PROMPT = "Check it with a test first"
VERSION = "2.1.330"


class Agent:
    """The stand-in: goes on in a session with a prompt, two calls side by side and an answer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        said = [line for line in lines if line.get("uuid")]
        self.tip: str = said[-1]["uuid"]
        self.time = datetime.fromisoformat(said[-1]["timestamp"])
        self.prompt = next(line for line in reversed(said) if line["type"] == "user" and "toolUseResult" not in line)
        self.answer = next(line for line in reversed(said) if line["type"] == "assistant")
        self.number = 0

    def _write(self, line: dict[str, Any], seconds: float, parent: str | None = None) -> str:
        self.time += timedelta(seconds=seconds)
        line["uuid"] = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.tip} {self.number}"))
        line["parentUuid"] = parent or self.tip
        line["timestamp"] = self.time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.tip, self.number = line["uuid"], self.number + 1
        with self.path.open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
        return self.tip

    def asked(self, text: str) -> None:
        """A person says something."""
        line = copy.deepcopy(self.prompt)
        line["message"]["content"] = text
        self._write(line, 2)

    def says(self, text: str, *commands: str) -> list[tuple[str, str]]:
        """The model answers, with calls of the shell; returns their ids and lines."""
        made = []
        identity = f"msg_stand_in_{self.number}"
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
        blocks += [
            {"type": "tool_use", "id": f"toolu_{self.number}_{place}", "name": "Bash", "input": {"command": command}}
            for place, command in enumerate(commands)
        ]
        for block in blocks:
            line = copy.deepcopy(self.answer)
            line["message"] |= {"id": identity, "content": [block]}
            line["message"]["stop_reason"] = "tool_use" if commands else "end_turn"
            where = self._write(line, 3)
            if block["type"] == "tool_use":
                made.append((str(block["id"]), where))
        return made

    def results(self, calls: list[tuple[str, str]], *texts: str) -> None:
        """What the calls came to; the result of one that failed begins with its exit code."""
        for (call, parent), text in zip(calls, texts, strict=True):
            line = copy.deepcopy(self.prompt)
            failed = text.startswith("Exit code")
            block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}
            line["message"]["content"] = [block]
            line["toolUseResult"] = {"stdout": text, "stderr": "", "interrupted": False}
            self._write(line, 1, parent)


def take(folder: Path, keep: Callable[[str, Path], object]) -> None:
    """Go round the loop once; `keep` gets a name and a picture of each of its five stations."""
    from opentine_gui.app.comparison import several_runs
    from opentine_gui.app.comparison.related_runs import member_of
    from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
    from tests.ui.opened import Opened

    home = Path.home()
    shutil.copytree(RECORDING, home, dirs_exist_ok=True)
    program = folder / "lib" / "bin" / "claude"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (program.parents[1] / "package.json").write_text(json.dumps({"version": VERSION}))
    (source,) = (home / ".claude" / "projects").rglob("*.jsonl")
    project = folder / "project"
    project.mkdir()
    opened = Opened(project)
    session = opened.session
    session.terminals.find = lambda _word: str(program)  # type: ignore[method-assign]
    opened.keyboard.focus()

    def picture(name: str) -> None:
        opened.rest()
        keep(name, opened.picture(folder / f"{name}.png"))

    document = opened.open(source)
    record = document.record
    assert record is not None
    step = next(step.id for step in record.graph if step.outputs.get("text") == FROM)
    session.invoke("select.step", step=step, reveal=True)
    opened.rest()
    opened.mouse.click(*opened.point(step))
    picture("1-open")
    opened.keyboard.press("o")

    def ready() -> bool:
        proposal = session.proposal
        return isinstance(proposal, ContinueProposal) and proposal.refusal is None

    opened.until(ready, "what will be written")
    opened.rest()
    opened.keyboard.type(PROMPT)
    opened.until(lambda: ready() and getattr(session.proposal, "prompt", "") == PROMPT, "the prompt typed")
    picture("2-fork")
    opened.frame()
    write = next(one for one in opened.window.controls() if one.name == "Write" and one.view == "Proposal")
    opened.mouse.click(*write.middle)
    opened.until(lambda: session.handed_back, "the new session written")
    opened.rest()
    picture("3-continue")
    (path, _digest), *_others = session.handed_back[-1].files
    agent = Agent(path)
    agent.asked(PROMPT)
    calls = agent.says("A test first, then.", "pytest -q", "git diff --stat")
    agent.results(calls, "Exit code 1\n1 failed, 3 passed", "app.py | 2 +-")
    steps = len(opened.document.record.graph) if opened.document.record is not None else 0
    opened.until(lambda: opened.document.record and len(opened.document.record.graph) >= steps + 4, "the new steps")
    picture("4-follow")
    agent.says("The test fails as it should; now the change.")
    opened.until(lambda: opened.document.record and len(opened.document.record.graph) >= steps + 5, "the last step")
    members = [member_of(session, one.number) for one in (document, opened.document)]
    session.run_later("Compare", lambda: several_runs.open_together(session, members, comparing=True))
    opened.until(lambda: opened.document.members is not None, "the comparison")
    opened.until(lambda: opened.window.canvas.painted is opened.document, "its picture")
    session.invoke("notice.dismiss", key="handed back")
    session.invoke("view.fit")
    picture("5-compare")
    opened.close()


def main(target: Path) -> None:
    """Write the pictures into a folder."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        take(Path(name), lambda station, path: shutil.copy(path, target / f"{station}.png"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
