"""Reads a session of Claude Code as a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from opentine_gui.core.model import JsonObject, RunStatus, StepKind
from opentine_gui.core.progress import Pace, Progress, Stop, collector_paused
from opentine_gui.importers.claude_code.log import Log, read_log
from opentine_gui.importers.claude_code.records import Record
from opentine_gui.importers.claude_code.steps import Steps
from opentine_gui.importers.claude_code.subagents import Subagents
from opentine_gui.importers.claude_code.threads import MOST_CALLS, Threads
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.run_draft import RunDraft, StepDraft, capture_of
from opentine_gui.importers.sources.fields import amount
from opentine_gui.importers.sources.former import same_records
from opentine_gui.importers.sources.origin import shown_path

IMPORTER = "claude-code 1"
READ = 0.6
"""The share of the time after which the lines are read."""
STEPS, AGAIN = 0.375, 0.4
"""The shares of what is left then after which the steps of the draft are made, and after which the file is read again
for former ids."""
LONGEST_TITLE = 200


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The session in a file with its sub-agents. TineError when it cannot be read."""
    pace = Pace(progress, cancelled)
    draft = RunDraft(texts_are_whole=True)
    with collector_paused():
        log = read_log(Path(path), draft.report, pace.part(0.0, READ))
        threads = Threads(log)
        steps = Steps(threads, Subagents(threads), draft)
        rest = pace.part(READ, 1.0)
        own = rest.part(0.0, AGAIN) if threads.differs else rest
        steps.make(own.part(0.0, STEPS))
        reading = reading_of(steps, log.contents[log.path], own.part(STEPS, 1.0))
        return with_former_ids(reading, log.path, rest.part(AGAIN, 1.0)) if threads.differs else reading


def with_former_ids(reading: Reading, path: Path, pace: Pace) -> Reading:
    """The reading with the ids of its steps by the older rule for what was typed (`kind_of`). TineError.

    The file is read a second time for that.
    """
    draft = RunDraft(texts_are_whole=True)
    log = read_log(path, draft.report, pace.part(0.0, READ))
    rest = pace.part(READ, 1.0)
    threads = Threads(log, older=True)
    steps = Steps(threads, Subagents(threads), draft)
    steps.make(rest.part(0.0, STEPS))
    before = reading_of(steps, log.contents[log.path], rest.part(STEPS, 1.0))
    return replace(reading, former=same_records(before, reading))


def reading_of(steps: Steps, content: bytes | tuple[str, int], pace: Pace) -> Reading:
    """The run of a log's steps. `content` are the bytes of its file, or their sha256 and number."""
    threads, draft = steps.threads, steps.draft
    log = threads.log
    _remark(log, threads, steps.subagents, steps)
    main = live_tip(log, threads)
    main_keys = threads.keys_at(main.uuid) if main is not None else ()
    main_step = _ended(draft, main_keys[-1]) if main_keys else None
    records = log.records
    session = next(
        (record.session_id for record in reversed(records) if record.session_id and not record.sub_agent), None
    )
    return draft.finish(
        run_id=session or log.path.stem or "session",
        created_at=threads.began or 0.0,
        capture=_capture(log, session, content),
        metadata=_metadata(log, threads, draft),
        status=_status(main_step) if main_step is not None else RunStatus.RUNNING,
        main=main_keys[-1] if main_keys else None,
        sources=log.sources,
        pace=pace,
    )


def live_tip(log: Log, threads: Threads) -> Record | None:
    """The record at which a resume continues the session.

    It is the last line of the conversation without children, in file order; a `last-prompt` line names it if it comes
    after all of them (a rewind by itself writes nothing).
    """
    talk = (record for record in reversed(log.records) if threads.is_talk(record))
    last = next(talk, None)
    said = log.facts.last_prompt
    if said is not None and said[0] in log.by_uuid and (last is None or said[1] > last.number):
        named = log.by_uuid[said[0]]
        if not named.sub_agent and threads.keys_at(named.uuid):
            return named
    if last is None or last.uuid not in threads.answered:
        return last
    return next((record for record in talk if record.uuid not in threads.answered), last)


def _ended(draft: RunDraft, key: str) -> StepDraft:
    """The last step that is the agent's: what a person runs after an answer leaves its turn ended."""
    step = draft.steps[key]
    while key.startswith("shell ") and step.parents:
        key = step.parents[0]
        step = draft.steps[key]
    return step


def _status(step: StepDraft) -> RunStatus:
    """The status according to the live tip: completed, failed, stopped by the user, or still at work."""
    if step.kind is StepKind.DONE:
        return RunStatus.COMPLETED
    if step.error:
        return RunStatus.FAILED if step.error.get("type") == "api_error" else RunStatus.PAUSED
    return RunStatus.RUNNING


def _capture(log: Log, session: str | None, content: bytes | tuple[str, int]) -> JsonObject:
    records = log.records
    version = next((record.version for record in reversed(records) if record.version), "")
    said = capture_of("claude-code", version, shown_path(log.path), IMPORTER, content)
    facts: JsonObject = {
        "session": session,
        "cwd": next((record.cwd for record in reversed(records) if record.cwd and not record.sub_agent), None),
        "git_branch": next((record.git_branch for record in reversed(records) if record.git_branch), None),
        "forked_from": _origin(log.origins, session),
    }
    if log.facts.costs:
        facts["stated_cost_usd"] = sum(log.facts.costs.values())
    if log.report.remarks:
        facts["remarks"] = list(log.report.remarks)
    return said | {name: value for name, value in facts.items() if value is not None}


def _origin(records: list[Record], session: str | None) -> str | None:
    """The session this one was forked from, where lines that were copied name it."""
    for record in records:
        if isinstance(record.forked_from, dict) and isinstance(found := record.forked_from.get("sessionId"), str):
            return found
        if record.request_session_id and record.request_session_id != session:
            return record.request_session_id
    return None


def _metadata(log: Log, threads: Threads, draft: RunDraft) -> JsonObject:
    first = next((step for step in draft.steps.values() if step.v3_kind in ("human", "subagent")), None)
    said_first = first.inputs.get("text") or first.inputs.get("prompt") if first is not None else ""
    prompt = said_first if isinstance(said_first, str) else ""
    facts = log.facts
    summary = next((text for leaf, text in reversed(facts.summaries.items()) if leaf in log.by_uuid), "")
    title = facts.custom_title or facts.made_title or summary
    said: JsonObject = {"harness": "claude-code"}
    if title:
        said["title"] = title[:LONGEST_TITLE]
    if prompt:
        said["user_prompt"] = prompt
    if threads.models:
        said["model_info"] = threads.models.most_common(1)[0][0]
    return said


def _remark(log: Log, threads: Threads, subagents: Subagents, steps: Steps) -> None:
    report = log.report
    if steps.missing:
        noun = "record hangs" if steps.missing == 1 else "records hang"
        report.remark(f"{steps.missing} {noun} from a record that is not in this file: what stands before is missing.")
    if threads.cycles:
        report.remark("Records that hang from each other in a cycle: the cycle was broken.")
    lost = [agent for agent in log.sub_agents if agent not in subagents.owner and agent in threads.roots]
    if lost:
        noun = "sub-agent has" if len(lost) == 1 else "sub-agents have"
        report.remark(f"{len(lost)} {noun} no call in this session: they stand by themselves.")
    if any(len(response.calls) > MOST_CALLS for response in threads.responses.values()):
        report.remark(
            f"An answer made more than {MOST_CALLS:,} calls: what follows is linked to its last {MOST_CALLS:,}."
        )
    dropped = report.skipped.get("system/microcompact_boundary", 0)
    if dropped:
        report.remark(f"Old results of tools were dropped from the context {dropped} times, without a summary.")
    if log.facts.costs:
        total = sum(log.facts.costs.values())
        report.remark(f"The log states ${total:.4f} for the session as a whole, not for steps.")
        report.state(amount(total))
