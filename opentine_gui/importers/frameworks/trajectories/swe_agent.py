"""SWE-agent's `.traj`: a response and a command a step; the attempts of a retrying agent are branches from the root."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import JsonObject, RunStatus, StepKind
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources import documents
from opentine_gui.importers.sources.content import Call, Content, call_of, content_of
from opentine_gui.importers.sources.documents import Text
from opentine_gui.importers.sources.fields import amount, count, object_of, objects_in, text_of
from opentine_gui.importers.sources.line import Line, began, first_prompt
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.parts import divide

EDITING = ("edit", "insert", "str_replace_editor")
EDIT_REFUSED = "Your proposed edit has introduced new syntax error"
"""How the agent's own editor begins when it did not apply an edit: no exit code or flag is recorded."""
BEHIND_THE_REASON = "This is how your edit would have looked"
LONGEST_MESSAGE = 2_000


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a `trajectory` of actions and observations."""
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
    if not start.startswith(b"{") or b'"trajectory"' not in head:
        return 0.0
    return 0.9 if b'"action"' in head and b'"observation"' in head else 0.0


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a trajectory. TineError."""
    source = divide(path)[0]
    pace = Pace(progress, cancelled)
    draft = RunDraft()
    whole = documents.read_text(source)
    members = whole.members()
    info = object_of(members["info"].value()) if "info" in members else {}
    attempts = members["attempts"].items() if "attempts" in members else []
    first = attempts[0].members() if attempts else members
    root = Line(draft, "root")
    _beginning(root, first)
    lines = []
    for number, attempt in enumerate([one.members() for one in attempts] or [members]):
        line = Line(draft, str(number), root.tips)
        _add(line, attempt, source, pace)
        _end(line, object_of(attempt["info"].value()) if "info" in attempt else {})
        lines.append(line)
    if not draft.steps:
        raise FormatError("there are no steps in it", path=source)
    chosen = info.get("best_attempt_idx")
    best = lines[chosen] if isinstance(chosen, int) and 0 <= chosen < len(lines) else lines[-1]
    metadata: JsonObject = {"agent": "SWE-agent", "title": first_prompt(draft)}
    stats = object_of(info.get("model_stats"))
    if stats:
        metadata["model_stats"] = stats
        # `total_cost` goes on through all instances of a batch; that of this one is `instance_cost`.
        cost = amount(stats.get("instance_cost", stats.get("total_cost")))
        draft.report.state(cost, count(stats.get("tokens_sent")), count(stats.get("tokens_received")))
    return draft.finish(
        run_id=run_id(source.stem),
        created_at=began(draft),
        capture=origin("swe-agent", text_of(info.get("swe_agent_version")), source, content=bytes(whole.content)),
        metadata=metadata,
        status=RunStatus.FAILED if text_of(info.get("exit_status")).startswith("exit") else RunStatus.COMPLETED,
        main=best.tips[-1] if best.tips else None,
        sources=(source,),
        pace=pace.part(0.5, 1),
    )


def _beginning(line: Line, members: dict[str, Text]) -> None:
    """Add the instructions and the task, from the history; demonstrations make no steps."""
    for item in members["history"].items()[:8] if "history" in members else ():
        message = object_of(item.value())
        role = message.get("role")
        if message.get("is_demo"):
            line.draft.report.skip("demonstrations")
        elif role == "system":
            line.policy({"system": content_of(message.get("content")).text})
        elif role == "user":
            line.person(content_of(message.get("content")))
            return
        elif role == "assistant":
            return


def _add(line: Line, members: dict[str, Text], source: Path, pace: Pace) -> None:
    asked = _asked(members)
    items = members["trajectory"].items() if "trajectory" in members else []
    for position, item in enumerate(items):
        if position % 50 == 0:
            pace.at(0.5 * position / len(items))
        line.draft.report.records += 1
        value = object_of(item.value())
        place = item.place(source)
        action = text_of(value.get("action"))
        content = Content(texts=[text_of(value.get("thought")) or text_of(value.get("response"))])
        content.calls = asked[position] if position < len(asked) and asked[position] else []
        if not content.calls and action.strip():
            content.calls = [Call("bash", {"command": action})]
        line.answer(content, place=place)
        observed = content_of(value.get("observation"))
        refused = action.lstrip().startswith(EDITING) and observed.text.lstrip().startswith(EDIT_REFUSED)
        message = observed.text.strip().partition(BEHIND_THE_REASON)[0].rstrip()[:LONGEST_MESSAGE]
        error: JsonObject | None = {"type": "failed", "message": message} if refused else None
        step = line.result("", observed.outcome(), error=error, place=place)
        if step is not None:
            if refused:
                line.draft.once(step.key, {"error": {}}, rule=2)
            step.duration = amount(value.get("execution_time")) or 0.0


def _asked(members: dict[str, Text]) -> list[list[Call]]:
    """The calls of each answer in the history, where they are recorded."""
    found = []
    for item in members["history"].items() if "history" in members else ():
        message = object_of(item.value())
        if message.get("role") == "assistant" and not message.get("is_demo"):
            found.append([call_of(call) for call in objects_in(message.get("tool_calls"))])
    return found


def _end(line: Line, info: JsonObject) -> None:
    status, submission = text_of(info.get("exit_status")), text_of(info.get("submission"))
    if submission or status == "submitted":
        line.add(StepKind.DONE, outputs={"text": submission})
    if status and not status.startswith("submitted"):
        step = line.add(StepKind.ERROR)
        step.error = {"type": status[:200], "message": f"The agent ended: {status[:200]}"}
