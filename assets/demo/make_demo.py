"""Writes the demo runs: `python assets/demo/make_demo.py [FOLDER]`. Running it again gives the same bytes.

Made with the public functions of opentine_gui.core, the way the application itself forks, merges and saves.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

import msgspec  # noqa: E402
import story  # noqa: E402
import texts  # noqa: E402

from opentine_gui.core import Graph, RunRecord, RunStatus, Step, StepKind, fork, merge  # noqa: E402
from opentine_gui.core.files import storage  # noqa: E402

NONCE = "demo"


def make_demo(folder: Path) -> list[Path]:
    """Write research-01.tine, retry-01.tine and merged/evidence.tine under `folder`; returns their paths."""
    return [research_file(folder), retry_file(folder), merged_file(folder)]


def research_file(folder: Path) -> Path:
    """The run that fails, with the sub-agent's branch as the ref `evidence`."""
    run, marks = story.research()
    record = RunRecord(
        run_id="research-01",
        status=RunStatus.FAILED,
        created_at=story.STARTED,
        graph=Graph.of(run.steps.values()),
        refs={"main": marks["main"], "evidence": marks["evidence"]},
        manifest={
            "kind": "opentine-native",
            "model": {"name": story.MODEL},
            "replay": ["cache", "rerun"],
            "resume": True,
            "tools": ["search", "fetch", "run_python"],
        },
        metadata={
            "model_info": story.MODEL,
            "system_prompt": texts.SYSTEM,
            "user_prompt": texts.QUESTION,
            "tags": ["demo", "rlhf"],
            "title": "Where do two RLHF papers disagree?",
        },
        transcript_text=msgspec.json.encode(transcript(list(run.steps.values()))),
    )
    return storage.write(folder / "research-01.tine", record)


def retry_file(folder: Path) -> Path:
    """The fork made before the dead link, which gets its answer from the mirror."""
    source = storage.read(folder / "research-01.tine")
    run, marks = story.research()
    late, added = story.retry(run, marks["notes"])
    steps = [late.steps[identity] for identity in added]
    forked = fork(
        source,
        marks["notes"],
        reason="the page of paper_b is gone; a mirror has it",
        title="The same question, through the PDF mirror",
        tags=["demo", "rlhf", "retry"],
        now=steps[0].timestamp - steps[0].duration,
        nonce=NONCE,
    )
    record = forked.with_graph(
        forked.graph.with_steps(steps),
        status=RunStatus.COMPLETED,
        refs={**forked.refs, "main": added[-1]},
        transcript_text=msgspec.json.encode([*forked.transcript, *transcript(steps)]),
    )
    return storage.write(folder / "retry-01.tine", record)


def merged_file(folder: Path) -> Path:
    """Both branches joined: the answer of the retry and the sub-agent's objections become one verdict."""
    first, second = (storage.read(folder / name) for name in ("research-01.tine", "retry-01.tine"))
    tips = [second.refs["main"], first.refs["evidence"]]
    asked = max(first.graph.step(tips[1]).timestamp, second.graph.step(tips[0]).timestamp) + 6.2
    usage, cost, _ = story.charge(story.MODEL, (2840, 318), 260, 0, True)
    merged = merge(
        [second, first],
        tips,
        kind=StepKind.MODEL,
        inputs={
            "text": "Merge: compare both sources",
            "evidence": [
                {"branch": "retry-01", "says": "what paper_b measured, from section 4"},
                {"branch": "evidence", "says": "what its reviewers object to"},
            ],
        },
        outputs={"text": texts.VERDICT},
        duration=4.2,
        usage=usage,
        cost=cost,
        title="Both sources compared",
        tags=["demo", "rlhf", "merge"],
        now=asked,
        nonce=NONCE,
    )
    (joined,) = (merged.graph.ids[position] for position in merged.graph.tips)
    after = story.Branch({joined: merged.graph.step(joined)})
    approved = after.add(
        StepKind.MODEL,
        {"text": "Send it, with the lower bound in the first line."},
        {"decision": "approved", "by": "reviewer"},
        v3_kind="approval",
        pause=4.0,
    )
    sent = after.add(
        StepKind.DONE,
        {"to": "reading group"},
        {"text": "Sent to the reading group.", "format": "markdown", "words": 68, "reactions": ["✅"]},
        took=0.6,
        tokens=(640, 24),
    )
    record = merged.with_graph(
        merged.graph.with_steps([after.steps[approved], after.steps[sent]]),
        status=RunStatus.COMPLETED,
        refs={"main": sent, "retry-01": tips[0], "evidence": tips[1]},
    )
    return storage.write(folder / "merged" / "evidence.tine", record, make_folders=True)


def transcript(steps: list[Step]) -> list[dict[str, Any]]:
    """What was said, as chat turns that name their step."""
    turns: list[dict[str, Any]] = []
    for step in steps:
        if step.kind is StepKind.TOOL:
            call = {"id": f"call-{step.short_id}", "name": step.inputs["name"], "arguments": step.inputs["arguments"]}
            turns.append({"role": "assistant", "content": "", "tool_calls": [call], "step_id": step.id})
            turns.append(
                {
                    "role": "tool",
                    "name": call["name"],
                    "tool_call_id": call["id"],
                    "content": shown(step),
                    "step_id": step.id,
                }
            )
        elif step.v3_kind == "human":
            turns.append({"role": "user", "content": step.inputs["text"], "step_id": step.id})
        elif step.kind is not StepKind.ERROR:
            turns.append(
                {"role": "assistant", "content": step.outputs.get("text") or step.inputs["text"], "step_id": step.id}
            )
    return turns


def shown(step: Step) -> str:
    """A tool's result as the model was shown it."""
    result = step.outputs.get("result", step.outputs)
    return result if isinstance(result, str) else msgspec.json.encode(result).decode()


if __name__ == "__main__":
    for written in make_demo(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE):
        print(written)
