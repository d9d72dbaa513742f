"""Reads a Codex thread: its file, the files it continues, later files of the thread, and its sub-agents' files.

Whatever follows the fork point in a base is an abandoned branch: it was done and billed, so it is drawn.
Forks are threads of their own; their steps have equal ids up to the fork, so that a family view joins them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opentine_gui.core.errors import FormatError, TineError
from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace, Progress, Stop, UncountedParts, collector_paused
from opentine_gui.importers.codex.content import said_in
from opentine_gui.importers.codex.history import History
from opentine_gui.importers.codex.links import Links, Started
from opentine_gui.importers.codex.rollouts import Home, Rollout, chain_of, load, name_of, parent_thread
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.run_draft import RunDraft, capture_of, status_at
from opentine_gui.importers.sources.fields import count, object_of, text_of, unix_time
from opentine_gui.importers.sources.origin import shown_path
from opentine_gui.importers.sources.outcomes import NO_RESULT

MOST_AGENTS = 2_000
READ, AGENTS_READ = 0.7, 0.9
"""Progress once the session is read, and at most once its sub-agents are."""


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The thread that the file belongs to. TineError when the file cannot be read or holds no record of Codex."""
    with collector_paused():
        return Thread(Path(path), Pace(progress, cancelled)).reading()


class Thread:
    """One reading: the rollouts that it needs, then their histories."""

    def __init__(self, path: Path, pace: Pace, draft: RunDraft | None = None, beginning: bytes | None = None) -> None:
        """`beginning`: the first lines of the file, if only those are to be read."""
        self.pace, self.agents = pace, UncountedParts(pace, READ, AGENTS_READ)
        self.home = Home(path)
        self.draft = draft or RunDraft()
        self.report = self.draft.report
        self.links = Links()
        self.asked = load(path, beginning)
        self.rollouts: dict[str, Rollout] = {}
        self.ends: dict[str, History] = {}
        self.sources = [path]

    def reading(self) -> Reading:
        """Read everything. FormatError if there are no steps."""
        self.gather()
        self._histories()
        self.read_agents()
        if not self.draft.steps:
            raise FormatError("it holds no step of a Codex session", path=self.asked.path)
        return self.finish(self.asked.content)

    def gather(self) -> None:
        """Load the files that the run is made from, without those of sub-agents."""
        chain_of(self.asked, self.home, self.rollouts, self.report)
        if name_of(self.asked.path) is not None:
            for path in self.home.of_thread(self.asked.thread):
                self._join(path)

    def _join(self, path: Path) -> None:
        """Load another file of the same thread, if both name the same parent thread."""
        name = name_of(path)
        if name is None or name.rollout in self.rollouts:
            return
        try:
            other = load(path)
        except TineError as error:
            self.report.remark(f"A later file of the session could not be read: {error}")
            return
        if parent_thread(other.meta) == parent_thread(self.asked.meta):
            chain_of(other, self.home, self.rollouts, self.report)

    def _histories(self) -> None:
        """Read every rollout; one that continues the middle of another starts from a copy of the state there."""
        after: dict[str, list[tuple[int, Rollout]]] = {}
        firsts: list[Rollout] = []
        for rollout in self.rollouts.values():
            base = rollout.base
            if base is None or base.rollout not in self.rollouts or base.rollout == rollout.id:
                firsts.append(rollout)
            else:
                after.setdefault(base.rollout, []).append((base.end, rollout))
        if self.rollouts and not firsts:
            firsts.append(self.asked)
        waiting = [(rollout, History(self.draft, self.links)) for rollout in reversed(firsts)]
        total = sum(len(rollout.content) for rollout in self.rollouts.values()) or 1
        done = 0
        while waiting:
            rollout, history = waiting.pop()
            if rollout.id in self.ends:
                continue
            history.prefix = rollout.id
            self.ends[rollout.id] = history
            cuts = sorted(after.get(rollout.id, ()), key=lambda pair: (pair[0], pair[1].path.name))
            pace = self.pace.part(READ * done / total, READ * (done + len(rollout.content)) / total)
            branches: list[tuple[Rollout, History]] = []
            for line in rollout.lines(self.report, pace):
                ordinal = count(line.value.get("ordinal"))
                while cuts and ordinal is not None and ordinal >= cuts[0][0]:
                    branches.append((cuts.pop(0)[1], history.branch()))
                history.take(line)
            branches += [(other, history.branch()) for _end, other in cuts]
            waiting += reversed(branches)
            done += len(rollout.content)
            if rollout.path != self.asked.path:
                self.sources.append(rollout.path)
        for history in self.ends.values():
            history.finish()

    def read_agents(self) -> None:
        """Read the files of sub-agents, and of theirs; then link the steps that received their work to it."""
        done: dict[str, History] = {}
        waiting = [*self.links.started.values()]
        while waiting:
            started = waiting.pop(0)
            if started.thread in done or len(done) >= MOST_AGENTS or started.thread == self.asked.thread.lower():
                continue
            history = self._agent(started)
            if history is not None:
                done[started.thread] = history
                waiting += [other for other in self.links.started.values() if other.thread not in done]
        taken: set[str] = set()
        for step, thread, time in self.links.joined:
            if thread in done and step in self.draft.steps:
                front = [key for key in _front_at(done[thread], time) if key not in taken]
                taken.update(front)  # so that a notice of work that a wait has received adds no link
                joined = self.draft.steps[step]
                joined.parents = [*joined.parents, *front]

    def _agent(self, started: Started) -> History | None:
        """The history of a sub-agent, after the response that started it; a single step if its file is missing."""
        paths = self.home.of_thread(started.thread)
        try:
            rollout = load(paths[-1]) if paths else None
        except TineError as error:
            rollout = None
            self.report.remark(f"A sub-agent's file could not be read: {error}")
        if rollout is None:
            self.report.remark("The file of a sub-agent is not here: only its start and its answer are shown.")
            inputs = {"prompt": started.message} | ({"agent": started.name} if started.name else {})
            key = f"agent:{started.thread}"
            self.draft.add(key, StepKind.MODEL, [started.response], inputs=inputs, v3_kind="subagent")
            history = History(self.draft, self.links, started)
            history.front = [key]
            return history
        history = History(self.draft, self.links, started)
        history.prefix = rollout.id
        copied = bool(text_of(rollout.meta.get("forked_from_id"))) and rollout.base is None
        for line in rollout.lines(self.report, self.agents.next()):
            if copied and not _is_prompt(line.value, started.message):
                self.report.folded += 1
                continue
            copied = False
            history.take(line)
        history.finish()
        self.sources.append(rollout.path)
        return history

    def finish(self, content: bytes | tuple[str, int]) -> Reading:
        """The reading. `content` are the bytes of the file that was asked for, or their sha256 and number."""
        thread = [rollout for rollout in self.rollouts.values() if rollout.thread == self.asked.thread]
        newest = max(thread or [self.asked], key=lambda rollout: (_started_at(rollout) or 0.0, rollout.path.name))
        end = self.ends.get(newest.id) or self.ends[self.asked.id]
        first = next((history for history in self.ends.values() if history.first_prompt), end)
        metadata: dict[str, Any] = {}
        for name, value in (
            ("title", end.title),
            ("user_prompt", first.first_prompt),
            ("model_info", end.model),
            ("cwd", text_of(self.asked.meta.get("cwd"))),
        ):
            if value:
                metadata[name] = value
        for key in end.front:
            if self.draft.steps[key].error == NO_RESULT:
                self.draft.steps[key].error = {}  # it may still be running
        for history in self.ends.values():
            history.forget()
        started = [time for rollout in self.rollouts.values() if (time := _started_at(rollout)) is not None]
        last = self.draft.steps.get(end.front[-1]) if end.front else None
        version = text_of(self.asked.meta.get("cli_version"))
        return self.draft.finish(
            run_id=self.asked.thread,
            created_at=min(started, default=0.0),
            capture=capture_of("codex", version, shown_path(self.asked.path), "codex", content)
            | {"durations": "of responses: between lines of the log"},
            metadata=metadata,
            status=status_at(last),
            main=end.front[-1] if end.front else None,
            sources=self.sources,
            pace=self.agents.rest(),
        )


def _front_at(history: History, time: float | None) -> list[str]:
    """Where a sub-agent was at a time: its last end of a response or turn by then, else its end."""
    if time is not None:
        for then, front in reversed(history.tips):
            if then is not None and then <= time:
                return front
    return history.front


def _is_prompt(record: dict[str, Any], message: str) -> bool:
    payload = object_of(record.get("payload"))
    if payload.get("type") != "message" or payload.get("role") != "user":
        return False
    prompt = said_in(payload).prompt
    return bool(prompt) and (not message or prompt == message)


def _started_at(rollout: Rollout) -> float | None:
    return unix_time(rollout.meta.get("timestamp"))
