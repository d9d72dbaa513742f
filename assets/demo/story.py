"""The story the demo runs tell: an agent compares two papers, meets a dead link, and somebody puts it right.

research-01  a person asks; three searches run side by side; the page of the second paper is gone, the agent keeps asking
             for it and gives up. A sub-agent meanwhile reads the criticism of that paper on a branch of its own.
retry-01     a fork made before the dead link: the same question, but through the PDF mirror. It gets its answer.
evidence     both branches joined: what the paper says about itself, and what others say about it.

Papers, people and addresses are made up. Everything here is fixed: no clock, no chance.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

from texts import (
    ANSWER,
    CRITIQUE_HITS,
    KAPPA_CODE,
    MIRROR,
    NOTES_A,
    NOTES_B,
    OBJECTIONS,
    OVERSEAS_HITS,
    PAGE,
    PAPER_A,
    PAPER_B,
    QUESTION,
    REVIEWS,
    SURVEY_HITS,
    TRACEBACK,
    figure,
)

from opentine_gui.core import Step, StepKind, step_id

STARTED = 1_775_948_651.0  # 2026-04-11 23:04:11 UTC
MODEL = "claude-sonnet-4-20250514"
READER = "gpt-4.1-mini"
PRICES = {MODEL: (3.0, 15.0), READER: (0.4, 1.6)}  # US dollars a million tokens, in and out
PROVIDERS = {MODEL: "anthropic", READER: "openai"}


@dataclass
class Branch:
    """Steps as they come, with a clock of their own: a step starts when its last parent has ended, plus `pause`."""

    steps: dict[str, Step] = field(default_factory=dict)
    model: str = MODEL
    started: float = STARTED

    def add(
        self,
        kind: StepKind,
        inputs: dict[str, Any],
        outputs: dict[str, Any] | None = None,
        *,
        after: list[str] | None = None,
        took: float = 0.0,
        pause: float = 0.1,
        tokens: tuple[int, int] | None = None,
        reasoning: int = 0,
        cached: int = 0,
        priced: bool = True,
        tool: dict[str, Any] | None = None,
        error: dict[str, Any] | None = None,
        v3_kind: str | None = None,
    ) -> str:
        """Record one step and return its id. `took` and `pause` in seconds; `tokens` in and out; cost after PRICES."""
        parents = list(self.steps)[-1:] if after is None else after
        ended = max((self.steps[parent].timestamp for parent in parents), default=self.started) + pause + took
        usage, cost, billing = charge(self.model, tokens, reasoning, cached, priced)
        hashed: dict[str, Any] = {
            "outputs": outputs or {},
            "model_info": self.model if v3_kind != "human" else "",
            "tool_info": tool or {},
            "error": error or {},
        }
        identity = step_id(kind, inputs, parent_ids=parents, **hashed)
        self.steps[identity] = Step(
            id=identity,
            parent_ids=tuple(parents),
            kind=kind,
            inputs=inputs,
            timestamp=round(ended, 3),
            duration=round(took, 3),
            cost=cost,
            usage=usage,
            billing=billing,
            provider=PROVIDERS[self.model] if tokens else "",
            v3_kind=v3_kind,
            **hashed,
        )
        return identity

    def call(self, name: str, arguments: dict[str, Any], result: dict[str, Any], **how: Any) -> str:
        """Record a tool call the way agents do: name and arguments in, result out."""
        inputs = {"name": name, "arguments": arguments}
        return self.add(StepKind.TOOL, inputs, result, tool={"name": name}, **how)


def charge(
    model: str, tokens: tuple[int, int] | None, reasoning: int, cached: int, priced: bool
) -> tuple[dict[str, int | float], float, dict[str, Any]]:
    """(usage, US dollars, billing) of a model call; without a price the tokens are known and the cost is not."""
    if tokens is None:
        return {}, 0.0, {}
    usage: dict[str, int | float] = {"input": tokens[0], "output": tokens[1]}
    if reasoning:
        usage["reasoning"] = reasoning
    if cached:
        usage["cache_read"] = cached
    if not priced:
        return usage, 0.0, {"status": "unknown", "warnings": ["no rate card for this model on this day"]}
    price_in, price_out = PRICES[model]
    millionths = tokens[0] * price_in + (tokens[1] + reasoning) * price_out + cached * price_in * 0.1
    amount = f"{millionths / 1e6:.6f}"
    return usage, float(amount), {"status": "complete", "amount_usd": amount, "known_subtotal_usd": amount}


def research() -> tuple[Branch, dict[str, str]]:
    """The run that fails, and its landmarks by name: plan, critique, notes, main, evidence."""
    run = Branch()
    asked = run.add(StepKind.MODEL, {"text": QUESTION}, after=[], v3_kind="human", pause=0.0)
    plan = run.add(
        StepKind.THINK,
        {
            "text": "Plan: search, read, compare.\n\n1. Three searches side by side.\n2. Open both papers.\n3. Put the claims next to each other."
        },
        {"parallel": ["RLHF survey 2024", "RLHF critique", "reward over-optimisation"]},
        after=[asked],
        took=0.8,
        tokens=(318, 94),
    )
    survey = run.call("search", {"query": "RLHF survey 2024", "limit": 5}, SURVEY_HITS, after=[plan], took=1.2)
    critique = run.call("search", {"query": "RLHF critique", "limit": 5}, CRITIQUE_HITS, after=[plan], took=1.1)
    overseas = run.call(
        "search",
        {"query": "reward over-optimisation", "languages": ["zh", "ru", "ar"]},
        OVERSEAS_HITS,
        after=[plan],
        took=1.9,
    )
    chosen = run.add(
        StepKind.MODEL,
        {
            "prompt": "Pick two papers. Which of these results answer the question best?",
            "results": {"search": 3, "hits": 12},
        },
        {
            "text": "Read paper_a and paper_b. They use the same preference data and draw opposite conclusions.",
            "choice": [
                {"id": "paper_a", "why": "largest study", "confidence": 0.86},
                {"id": "paper_b", "why": "same data, other result", "confidence": 0.81},
            ],
        },
        after=[survey, critique, overseas],
        took=2.1,
        tokens=(1480, 122),
        cached=640,
    )
    run.call("fetch", {"url": "https://papers.example.org/abs/2403-052"}, PAPER_A, after=[chosen], took=0.9)
    notes = run.add(
        StepKind.MODEL,
        {"prompt": "Note what paper_a claims. How was it measured, and on whom?", "attachments": ["figure-2.png"]},
        {
            "text": NOTES_A,
            "figure": {"media_type": "image/png", "encoding": "base64", "data": base64.b64encode(figure()).decode()},
        },
        took=3.6,
        tokens=(4120, 301),
        reasoning=220,
    )
    run.call(
        "fetch",
        {"url": PAGE},
        {"status": 404, "result": "404 Not Found"},
        took=0.3,
        error={"type": "HTTPStatusError", "message": "404 Not Found", "url": PAGE},
    )
    run.add(
        StepKind.ERROR,
        {"tool": "fetch", "attempt": 1},
        took=0.0,
        pause=0.02,
        error={
            "type": "HTTPStatusError",
            "message": "Failed to fetch paper_b: 404 Not Found",
            "url": PAGE,
            "retryable": False,
        },
    )
    for attempt in range(2, 8):
        run.add(
            StepKind.THINK,
            {"text": f"Retry the same address. It may only be down for a moment. Attempt {attempt} of 7."},
            took=1.4 + 0.2 * attempt,
            tokens=(4480 + 130 * attempt, 58),
            priced=attempt != 5,
        )
        run.call(
            "fetch",
            {"url": PAGE, "attempt": attempt},
            {"status": 404, "result": "404 Not Found"},
            took=0.3,
            pause=0.05,
            error={"type": "HTTPStatusError", "message": "404 Not Found", "url": PAGE},
        )
    main = run.add(
        StepKind.ERROR,
        {"attempts": 7, "waited_seconds": 16.6},
        took=0.0,
        error={
            "type": "RetryLimitReached",
            "message": "Gave up on paper_b after 7 attempts at the same address",
            "traceback": TRACEBACK,
        },
    )
    evidence = reader(run, critique)
    return run, {"plan": plan, "critique": critique, "notes": notes, "main": main, "evidence": evidence}


def reader(run: Branch, critique: str) -> str:
    """The sub-agent's branch, grown from the search for criticism; returns its tip."""
    run.model = READER
    sent = run.add(
        StepKind.MODEL,
        {"name": "reader", "task": "Read what others say about paper_b. Report objections only, with page numbers."},
        {"text": "Read papers (sub-agent)", "accepted": True, "budget": {"max_cost_usd": 0.02, "max_steps": 12}},
        after=[critique],
        took=0.4,
        v3_kind="subagent",
    )
    run.call("fetch", {"url": "https://review.example.net/2404-117/reports"}, REVIEWS, after=[sent], took=1.3)
    run.call(
        "run_python",
        {"file": "kappa.py", "code": KAPPA_CODE, "timeout_seconds": 10},
        {"stdout": "kappa = 0.40\n", "exit_code": 0, "files": []},
        took=0.7,
    )
    tip = run.add(
        StepKind.MODEL,
        {
            "prompt": "Sum up the objections. Keep page numbers; leave out praise.",
            "evidence": ["report 1", "report 2", "kappa = 0.40"],
        },
        {"text": OBJECTIONS},
        took=2.2,
        tokens=(2210, 164),
    )
    run.model = MODEL
    return tip


def retry(shared: Branch, notes: str) -> tuple[Branch, list[str]]:
    """The steps a person's correction adds after `notes`; ids in order, the last one is the answer."""
    run = Branch({notes: shared.steps[notes]})
    # The correction came after the first run had failed; the clock of the fork starts there.
    late = max(step.timestamp for step in shared.steps.values()) - shared.steps[notes].timestamp + 6.0
    added = [
        run.add(
            StepKind.MODEL,
            {
                "prompt": "Use the PDF mirror instead. The page is gone; summarise section 4 only.",
                "evidence": ["paper_a", "paper_b"],
                "tool_schema": {
                    "name": "fetch",
                    "type": "object",
                    "required": ["url"],
                    "additionalProperties": False,
                    "properties": {"url": {"type": "string", "format": "uri"}},
                    "returns": "text or pages",
                },
                "temperature": 0,
            },
            {
                "text": "Use the PDF mirror instead. I will read section 4 and nothing else.",
                "next": {"tool": "fetch", "url": MIRROR},
            },
            after=[notes],
            took=2.5,
            pause=late,
            tokens=(1790, 122),
        ),
        run.call("fetch", {"url": MIRROR, "pages": "9-12"}, PAPER_B, took=0.9),
        run.add(
            StepKind.MODEL,
            {"prompt": "Note what paper_b claims. How was it measured, and on whom?", "pages": [9, 10, 11, 12]},
            {"text": NOTES_B},
            took=3.1,
            tokens=(3350, 240),
            reasoning=180,
        ),
        run.add(
            StepKind.THINK,
            {"text": "Same data, other test.\n\npaper_a tests on prompts its reward model has seen; paper_b does not."},
            took=1.6,
            tokens=(3720, 88),
        ),
        run.add(StepKind.DONE, {}, {"text": ANSWER}, took=3.4, tokens=(3980, 402)),
    ]
    return run, added
