"""A run in which every text tries to be more than text, for every kind of file it may be written into."""

from __future__ import annotations

from typing import Any

from opentine_gui.core import Graph, RunRecord, RunStatus, Step, StepKind, fork_and_edit, step_id

ATTACKS = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "</text></svg><script>window.hacked = 1</script>",
    "]]></style><svg onload=window.hacked=1>",
    "--><!-- <!ENTITY x SYSTEM 'file:///etc/passwd'> &x;",
    "\"];\n  evil --> worse; click s0 call hacked() \"",
    '"]; evil -> worse; x [label="',
    "%%{init: {'securityLevel': 'loose'}}%%",
    "`](javascript:hacked()) ![](http://evil.example/x.png) | a | b |",
    "<http://evil.example/> https://evil.example/ &lt;b&gt; \\N \\G \\\\",
    "{{constructor.constructor('hacked()')()}} ${hacked()} $$x$$",
    "\u202egnp.exe\u2066 \u200b\u200f bidi",
    "\x1b[31mred\x1b]0;title\x07\x1b]8;;http://evil.example\x07link",
    "nul \x00 bell \x07 back \x08 del \x7f c1 \x9b31m",
    "line\u2028para\u2029end\r\nnext\x0b\x0c\x85",
    "\ufffe \uffff \ufdd0 \U0001fffe \ue000",
    "1. list", "- list", "end", "```\n~~~\n# heading", "x" * 5000, "🎉" * 40, "Ａ" * 50,
)  # fmt: skip


def hostile_run(attacks: tuple[str, ...] = ATTACKS, run_id: str = "</title><script>hacked()</script>") -> RunRecord:
    """A chain with a branch at every third step; each step says its attack in every field that takes a text."""
    steps: list[Step] = []
    for number, attack in enumerate(attacks):
        parents = (steps[-1 if number % 3 else max(number - 2, 0)].id,) if steps else ()
        kind = list(StepKind)[number % 5]
        inputs: dict[str, Any] = {"text": attack, attack[:80]: {"__proto__": [attack, {"constructor": attack}]}}
        outputs = {"result": [attack], "toString": attack}
        tool = {"name": attack}
        error = {"type": attack, "message": attack} if kind is StepKind.ERROR else {}
        identity = step_id(
            kind, inputs, parent_ids=parents, outputs=outputs, model_info=attack, tool_info=tool, error=error
        )
        steps.append(
            Step(
                id=identity, parent_ids=parents, kind=kind, inputs=inputs, outputs=outputs, model_info=attack,
                tool_info=tool, error=error, timestamp=1.7e9 + number, duration=0.5, cost=0.001,
            )
        )  # fmt: skip
    refs = {"main": steps[-1].id, "<script>hacked()</script>": steps[0].id, '"]; -->': steps[1].id}
    return RunRecord(
        run_id=run_id,
        status=RunStatus.FAILED,
        created_at=1.7e9,
        graph=Graph.of(steps),
        refs=refs,
        metadata={
            "model_info": "<b>m</b>",
            "title": attacks[0],
            "user_prompt": "\n".join(attacks),
            "tags": ["<i>"],
            "forked_from": "`|<script>",
        },
    )


def hostile_pair() -> tuple[RunRecord, RunRecord]:
    """The run and an edited fork of it, whose difference is hostile too."""
    run = hostile_run()
    point = run.graph.ids[8]
    forked = fork_and_edit(
        run, point, inputs={"text": "</script>" + ATTACKS[1] + "\u202e"}, now=1.7e9, nonce="n", title=ATTACKS[2]
    )
    return run, forked


NAMES = ('"><script>hacked()</script>', "b\udcff\u202e\x1b[0m|`")
FILES = ("$(hacked).tine", "b '\udcff.tine")
