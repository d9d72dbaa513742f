"""Checkpoints and their tasks as steps.

A task is a step; the tasks of one checkpoint fan out, and those of the next have all of them as parents. A checkpoint
with two children is a branch: `input` and `update` begin one by a person, `fork` by a replay without a change. What a
task wrote becomes the steps of its `turns`.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.importers.frameworks.langgraph.messages import messages_in, role_of
from opentine_gui.importers.frameworks.langgraph.store import NO_TASK, Checkpoint, Store, Task
from opentine_gui.importers.frameworks.langgraph.turns import LONGEST_LINE, Turns
from opentine_gui.importers.frameworks.langgraph.values import CLASS, Unread, difference
from opentine_gui.importers.reading import Place, row_at
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources.content import content_of
from opentine_gui.importers.sources.fields import between, object_of, objects_in, storable

SILENT = frozenset({"__pregel_tasks", "__no_writes__", "__interrupt__", "__resume__", "__error__", "__scheduled__"})
DEEPEST = 16


class Thread:
    """Makes the steps of one thread."""

    def __init__(self, store: Store, thread: str, draft: RunDraft, path: Path, pace: Pace) -> None:
        self.store = store
        self.path = path
        self.thread = thread
        self.draft = draft
        self.pace = pace
        self.checkpoints: dict[tuple[str, str], Checkpoint] = {}
        self.children: dict[tuple[str, str], list[Checkpoint]] = {}
        self.below: dict[str, list[Checkpoint]] = {}
        """Checkpoints of subgraphs by the checkpoint, in any namespace, whose task started them."""
        self.tasks = store.tasks(thread)
        self.tips: dict[tuple[str, str], list[str]] = {}
        self.finished: dict[tuple[str, str], list[str]] = {}
        """The last steps of the tasks of each checkpoint that ran to their end."""
        self.open: dict[tuple[str, str], list[str]] = {}
        """Steps of tasks that failed or wait for an answer, by checkpoint."""
        self.turns = Turns(store, thread, draft)
        self.done = 0

    def grow(self) -> None:
        """Add all steps."""
        for checkpoint in self.store.checkpoints(self.thread):
            self.draft.report.records += 1
            self.checkpoints[checkpoint.namespace, checkpoint.id] = checkpoint
            self.children.setdefault((checkpoint.namespace, checkpoint.parent), []).append(checkpoint)
            if checkpoint.namespace:
                outer = checkpoint.above.get(checkpoint.namespace.rpartition("|")[0]) or checkpoint.above.get("", "")
                self.below.setdefault(outer, []).append(checkpoint)
        for checkpoint in list(self.checkpoints.values()):
            if not checkpoint.namespace:
                self._visit(checkpoint, 0)
        lost = [place for place in self.checkpoints if place not in self.tips]
        for place in lost:
            self._visit(self.checkpoints[place], 0)
        if lost:
            self.draft.report.remark("Checkpoints of subgraphs whose task is not recorded stand by themselves.")

    def main_tip(self) -> str | None:
        """The key of the last step of the newest checkpoint of the main graph."""
        outer = [place for place in self.checkpoints if not place[0]] or list(self.checkpoints)
        for place in reversed(outer):
            found = self.open.get(place) or self.finished.get(place) or self.tips.get(place)
            if found:
                return found[-1]
        return None

    def _visit(self, checkpoint: Checkpoint, depth: int) -> None:
        """Add the steps that led to a checkpoint, unless they exist, and those of its own tasks."""
        place = checkpoint.namespace, checkpoint.id
        if place in self.tips:
            return
        self.done += 1
        if self.done % 50 == 0:
            self.pace.at(self.done / len(self.checkpoints))
        before = self.tips.get((checkpoint.namespace, checkpoint.parent), [])
        if checkpoint.source == "input":
            self.tips[place] = [self._input(checkpoint, before)]
        elif checkpoint.source == "update":
            self.tips[place] = [self._update(checkpoint, before)]
        elif checkpoint.source == "fork" or not checkpoint.parent:
            self.tips[place] = list(before)
        else:
            self.tips[place] = self.finished.get((checkpoint.namespace, checkpoint.parent)) or list(before)
        self._run(checkpoint, depth)

    # -- what people did ------------------------------------------------------------------------------------------

    def _input(self, checkpoint: Checkpoint, before: list[str]) -> str:
        """Add the step of a run's prompt, or of what a subgraph was given; returns its key."""
        value = checkpoint.start
        if value is None:
            written = self._start_task(checkpoint)
            value = dict(self._written(written)) if written else {}
        step = self.draft.add(
            self.turns.key(f"{checkpoint.namespace} {checkpoint.id}"),
            StepKind.MODEL,
            before,
            inputs=_given(value),
            timestamp=checkpoint.time,
            v3_kind="human",
            places=[self._row(checkpoint)],
        )
        return step.key

    def _row(self, checkpoint: Checkpoint, task: Task | None = None) -> Place:
        """The place of a checkpoint's row, or of the rows that a task wrote at it."""
        columns = self.store.columns_of(checkpoint)
        if task is None:
            return row_at(self.path, "checkpoints", thread_id=self.thread, **columns)
        return row_at(self.path, "writes", thread_id=self.thread, **columns, task_id=task.id)

    def _stands(self, steps: int, place: Place) -> None:
        """Set the place of every step added after the first `steps`, unless it has one."""
        for step in islice(self.draft.steps.values(), steps, None):
            step.places = step.places or [place]

    def _update(self, checkpoint: Checkpoint, before: list[str]) -> str:
        """Add the step of a state that a person edited, with what changed; returns its key."""
        parent = self.checkpoints.get((checkpoint.namespace, checkpoint.parent))
        old = self.store.state(self.thread, parent) if parent else {}
        new = self.store.state(self.thread, checkpoint)
        changed = {
            name: _changes(old.get(name), item)
            for name, item in new.items()
            if not str(name).startswith(("branch:", "join:", "__")) and old.get(name) != item
        }
        added = [message for item in changed.values() for message in messages_in(object_of(item).get("appended", item))]
        said = [content_of(message.get("content")).text for message in added if role_of(message) == "human"]
        names = ", ".join(str(name) for name in changed)
        step = self.draft.add(
            self.turns.key(f"{checkpoint.namespace} {checkpoint.id}"),
            StepKind.MODEL,
            before,
            inputs={"text": "\n".join(said) or f"The state was edited: {names or 'nothing changed'}"},
            timestamp=checkpoint.time,
            v3_kind="human",
            places=[self._row(checkpoint)],
        )
        if not said or len(changed) > 1:
            step.inputs["state"] = storable(changed)
        failed = [key for key in self.open.get((checkpoint.namespace, checkpoint.parent), []) if key not in before]
        step.causes = failed
        return step.key

    # -- tasks ----------------------------------------------------------------------------------------------------

    def _run(self, checkpoint: Checkpoint, depth: int) -> None:
        """Add the steps of a checkpoint's tasks."""
        place = checkpoint.namespace, checkpoint.id
        tasks = [task for task in self.tasks.get(place, []) if task.id != NO_TASK]
        answers = [
            answer for task in self.tasks.get(place, []) if task.id == NO_TASK for answer in task.values("__resume__")
        ]
        loops = [child for child in self.children.get(place, []) if child.source == "loop"]
        end = loops[0].time if loops else None
        if not tasks and loops:
            self._unwritten(checkpoint, loops[0])
        for task in tasks:
            name, given = self._node(checkpoint, task, len(tasks), loops[0] if loops else None)
            if name == "__start__" or task.path.startswith("~__interrupt__"):
                continue
            self._task(checkpoint, task, name, given, answers, end, depth)

    def _unwritten(self, checkpoint: Checkpoint, after: Checkpoint) -> None:
        """Add steps for nodes without recorded writes, as in old files: the changes of the state are shown instead."""
        place = checkpoint.namespace, checkpoint.id
        names = sorted(after.ran - checkpoint.ran) or [name for name in checkpoint.nodes if name in after.ran]
        names = [name for name in names if not name.startswith("__")]
        if checkpoint.source == "input" and not names:
            return
        old, new = self.store.state(self.thread, checkpoint), self.store.state(self.thread, after)
        hidden = ("branch:", "join:", "start:", "__")
        changed = {
            name: difference(old.get(name), item)
            for name, item in new.items()
            if not str(name).startswith(hidden) and name not in names and old.get(name) != item
        }
        writes = [(str(name), object_of(item).get("appended", item)) for name, item in changed.items()]
        made = len(self.draft.steps)
        ends = self.turns.grow(
            checkpoint, ", ".join(names) or "a step", self.tips[place], {}, writes, between(checkpoint.time, after.time)
        )
        self._stands(made, self._row(after))
        self.finished.setdefault(place, []).extend(ends)

    def _node(self, checkpoint: Checkpoint, task: Task, count: int, after: Checkpoint | None) -> tuple[str, Any]:
        """(the node that ran, what `Send` gave it): from the path, else as far as the checkpoints show."""
        way = task.path.split(", ")
        if len(way) > 1 and way[0] == "~__pregel_pull":
            return ", ".join(way[1:]), None
        if way[0] == "~__pregel_push":
            index = int(way[1]) if len(way) > 1 and way[1].isdecimal() and len(way[1]) < 10 else -1
            if 0 <= index < len(checkpoint.sends):
                return checkpoint.sends[index]
            return (checkpoint.sends[0][0], None) if checkpoint.sends else ("a task", None)
        if checkpoint.source == "input" and checkpoint.start is not None:
            return "__start__", None
        own = [name for name, _, _ in task.writes if name in checkpoint.nodes or (after and name in after.ran)]
        if own:
            return own[0], None
        candidates = checkpoint.nodes or sorted((after.ran - checkpoint.ran) if after else ())
        candidates = [name for name in candidates if not name.startswith("__")]
        return (candidates[0] if len(candidates) == 1 and count == 1 else " or ".join(candidates) or "a task"), None

    def _task(
        self,
        checkpoint: Checkpoint,
        task: Task,
        name: str,
        given: Any,
        answers: list[Any],
        end: float | None,
        depth: int,
    ) -> None:
        place = checkpoint.namespace, checkpoint.id
        parents = list(self.tips[place])
        inner = self._inner(checkpoint, task, name, depth)
        if inner is not None:
            parents += [key for key in inner if key not in parents]
        elif task.has("__interrupt__"):
            parents = [self._approval(checkpoint, task, parents, answers)]
        errors = task.values("__error__")
        writes = self._written(task)
        waits = task.has("__interrupt__") and not writes and not task.has("__no_writes__") and not errors
        if waits:
            self.open.setdefault(place, []).extend(parents)
            return
        inputs: JsonObject = {"name": name}
        if given is not None:
            inputs["arguments"] = storable(given)
        made = len(self.draft.steps)
        ends = self.turns.grow(
            checkpoint, name, parents, inputs, writes, between(checkpoint.time, end), whole=inner is not None
        )
        self._stands(made, self._row(checkpoint, task))
        if errors:
            step = self.draft.steps[ends[-1]]
            kind, _, message = str(errors[-1]).partition("(")
            named = kind.isidentifier()
            step.error = {
                "type": kind if named else "failed",
                "message": message.rstrip(")") if named else str(errors[-1]),
            }
            self.open.setdefault(place, []).extend(ends)
            return
        self.finished.setdefault(place, []).extend(ends)

    def _inner(self, checkpoint: Checkpoint, task: Task, name: str, depth: int) -> list[str] | None:
        """The last steps of the subgraph that a task ran, None when it ran none."""
        prefix = f"{checkpoint.namespace}|" if checkpoint.namespace else ""
        spaces = (f"{prefix}{name}", f"{prefix}{name}:{task.id}")
        mine = [inner for inner in self.below.get(checkpoint.id, []) if inner.namespace in spaces]
        if not mine or depth >= DEEPEST:
            return None
        place = checkpoint.namespace, checkpoint.id
        for inner in mine:
            if (inner.namespace, inner.id) in self.tips:
                continue
            outside = inner.parent not in {other.id for other in mine}
            if outside:
                start = self._input(inner, self.tips[place])
                step = self.draft.steps[start]
                step.v3_kind = "subagent"
                step.inputs = {"agent": name, "prompt": step.inputs.pop("text", ""), **step.inputs}
                step.causes = self.tips.get((inner.namespace, inner.parent), [])
                self.tips[inner.namespace, inner.id] = [start]
                self._run(inner, depth + 1)
            else:
                self._visit(inner, depth + 1)
        last = mine[-1].namespace, mine[-1].id
        return self.tips.get(last, []) + [key for key in self.open.get(last, []) if key not in self.tips.get(last, [])]

    def _approval(self, checkpoint: Checkpoint, task: Task, parents: list[str], answers: list[Any]) -> str:
        """The question a node stopped with, and the answer if there was one."""
        questions: list[Any] = []
        for value in task.values("__interrupt__"):
            questions += [
                object_of(item).get("value", item) for item in (value if isinstance(value, list) else [value])
            ]
        given: list[Any] = []
        for value in task.values("__resume__"):
            given += value if isinstance(value, list) else [value]
        given = given or answers
        question = questions[0] if len(questions) == 1 else questions
        inputs: JsonObject = {"question": _line(question)}
        if not isinstance(question, str):
            inputs["value"] = storable(question)
        step = self.draft.add(
            self.turns.key(f"{checkpoint.namespace} {checkpoint.id} {task.id} question"),
            StepKind.MODEL,
            parents,
            inputs=inputs,
            timestamp=checkpoint.time,
            v3_kind="approval",
            places=[self._row(checkpoint, task)],
        )
        if given:
            step.outputs = {"answer": storable(given[0] if len(given) == 1 else given)}
        return step.key

    def _written(self, task: Task) -> list[tuple[str, Any]]:
        """(channel, value) of each write of a task, without LangGraph's own channels."""
        found = []
        for channel, kind, blob in task.writes:
            if channel in SILENT or channel.startswith(("branch:", "join:")):
                continue
            for value in Task(task.id, "", [(channel, kind, blob)]).values(channel):
                if isinstance(value, Unread):
                    self.draft.report.skip(str(value).strip("()"))
                found.append((channel, value))
        return found

    def _start_task(self, checkpoint: Checkpoint) -> Task | None:
        tasks = self.tasks.get((checkpoint.namespace, checkpoint.id), [])
        return next(
            (task for task in tasks if task.path.endswith(", __start__")), tasks[0] if len(tasks) == 1 else None
        )


def _changes(before: Any, after: Any) -> Any:
    """What a person changed in a channel: for messages, those that are new or differ from before."""
    messages = messages_in(after)
    if messages and isinstance(before, list):
        return {"appended": [message for message in messages if message not in before]}
    return difference(before, after)


def _given(value: Any) -> JsonObject:
    """The inputs of a person's step: the words of messages, else the values of a state, one a line."""
    channels = value if isinstance(value, dict) and not role_of(value) else {"": value}
    spoken: list[JsonObject] = []
    others: JsonObject = {}
    for name, item in channels.items():
        messages = messages_in(item) or [
            {"type": message.get("role", "human"), **message} for message in objects_in(item) if "content" in message
        ]
        if messages:
            spoken += messages
        elif name != CLASS:
            others[str(name)] = item
    contents = [content_of(message.get("content")) for message in spoken]
    said = "\n".join(content.text for content in contents if content.texts)
    images = [image for content in contents for image in content.images]
    if isinstance(value, str):
        return {"text": value}
    words = _line(others) or (f"The graph was started with: {', '.join(others)}" if others else "")
    found: JsonObject = {"text": said or words}
    if images:
        found["images"] = images
    if others:
        found["state"] = storable(others)
    return found


def _line(value: Any) -> str:
    """A value as words: a text itself, an object's plain members one a line."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        plain = {name: item for name, item in value.items() if isinstance(item, str | int | float)}
        if len(plain) == 1:
            return str(next(iter(plain.values())))[:LONGEST_LINE]
        return "\n".join(f"{name}: {item}" for name, item in plain.items())[:LONGEST_LINE]
    return str(storable(value))[:LONGEST_LINE] if value is not None else ""
