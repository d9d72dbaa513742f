"""What a group's card says besides its counts: why it failed, what a sub-agent found, how long nothing was done."""

from __future__ import annotations

from typing import Any

import pytest

from opentine_gui.core import Graph, Step, StepKind, step_id
from opentine_gui.core.structure.cards import Cards
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.groups.group_face import bar_roles, group_face, of_one_step, pause_flag
from opentine_gui.describe.groups.outcome_words import found_in
from opentine_gui.importers.sources.outcomes import NO_RESULT
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.group_strip import EDITS, LOOKS, Member

REPORT = """Now I have a thorough understanding of the implementation. Here is my review.

## Review Summary

Branch: main

The branch adds chained hooks. However, I found two critical issues that should be addressed before merge:
"""


class Run:
    """A run made step by step."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, kind: StepKind, *above: int, at: float = 0.0, v3_kind: str | None = None, **fields: Any) -> int:
        payload: dict[str, Any] = {"inputs": {}, "outputs": {}, "error": {}, **fields}
        parents = tuple(self.steps[step].id for step in above)
        info = {"nth": len(self.steps)}
        identity = step_id(
            kind, payload["inputs"], parent_ids=parents, outputs=payload["outputs"], tool_info=info,
            error=payload["error"],
        )  # fmt: skip
        step = Step(
            id=identity, parent_ids=parents, kind=kind, timestamp=at, duration=1.0, v3_kind=v3_kind, tool_info=info,
            **payload,
        )  # fmt: skip
        self.steps.append(step)
        return len(self.steps) - 1

    def person(self, words: str, *above: int, at: float = 0.0) -> int:
        return self.add(StepKind.MODEL, *above, at=at, v3_kind="human", inputs={"text": words})

    def call(self, name: str, *above: int, at: float = 0.0, error: str = "", result: str = "") -> int:
        inputs = {"name": name, "arguments": {"file_path": "a.py"}}
        failed = {"type": "failed", "message": error} if error else {}
        return self.add(StepKind.TOOL, *above, at=at, inputs=inputs, outputs={"result": result}, error=failed)

    def says(self, words: str, *above: int, at: float = 0.0) -> int:
        return self.add(StepKind.MODEL, *above, at=at, outputs={"text": words})

    def faces(self, *borders: int) -> list[CardFace]:
        structure = Structure(Graph.of(self.steps))
        cards = Cards(structure.lanes, borders)
        return [group_face(structure, card, list(cards.steps(card))) for card in cards.cards]


REFUSED = {"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}


def test_what_a_person_stopped_is_no_failure_of_its_group() -> None:
    run = Run()
    at = run.call("Edit", run.says("I mend it", run.person("Please mend the reader")), error="", result="ok")
    at = run.add(StepKind.TOOL, at, inputs={"name": "Bash", "arguments": {"command": "git push"}}, error=REFUSED)
    run.add(StepKind.ERROR, at, error={"type": "interrupted", "message": "by the user"})
    (face,) = run.faces()
    assert (face.failed, face.stopped) == (False, True)
    assert "1 refused · 1 interrupted" in face.line and "failed" not in face.line
    (flag,) = [flag for flag in face.flags if flag.role in ("bad", "stopped")]
    assert (flag.text, flag.role, flag.more) == ("⊖ 2", "stopped", "refused, interrupted")
    assert flag.less == "refused, …", "where both words would be cut"
    assert face.group is not None and face.group.failures == 0
    assert [bar.role for bar in face.group.strip].count("stopped") == 2
    run.call("Read", at, error="disk full")
    (face,) = run.faces()
    assert (face.failed, face.stopped) == (True, True), "a failure beside it stays one"
    assert next(flag for flag in face.flags if flag.role == "bad").text == "✕ 1"


def test_an_edit_that_failed_edited_nothing() -> None:
    run = Run()
    at = run.call("Edit", run.says("I mend it", run.person("Please mend the reader")), error="not found in file")
    run.call("Edit", at, error="not found in file")
    (face,) = run.faces()
    assert "2 edits failed" in face.line.split(" · ") and "edited" not in face.line
    copied = {"name": "bash", "arguments": {"command": "cp a.json b.json"}}
    at = run.add(StepKind.TOOL, at, inputs=copied, error={"type": "tool_error", "message": "cp: a.json: no such file"})
    run.call("Edit", at, result="ok")
    (face,) = run.faces()
    assert {"edited a.py", "3 failures"} <= set(face.line.split(" · ")), "the copy edits nothing"


def test_a_search_that_found_nothing_takes_no_failure_off_the_count_of_its_group() -> None:
    run = Run()
    at = run.call("Read", run.says("I look", run.person("Please mend the reader")), error="disk full")
    grep = {"name": "bash", "arguments": {"command": "grep -n parser src/a.ts"}}
    silent = {"type": "failed", "message": "Command exited with code 1"}
    run.add(StepKind.TOOL, at, inputs=grep, outputs={"result": "Command exited with code 1"}, error=silent)
    (face,) = run.faces()
    assert (face.failed, face.stopped) == (True, True)
    assert face.group is not None and face.group.failures == 1


def test_calls_without_a_result_are_no_failures_of_their_group() -> None:
    run = Run()
    at = run.says("I mend both", run.person("Please mend the reader"))
    for name in ("a", "b"):
        at = run.add(
            StepKind.TOOL, at, inputs={"name": "Edit", "arguments": {"file_path": name}}, error=dict(NO_RESULT)
        )
    (face,) = run.faces()
    assert (face.failed, face.stopped) == (False, True)
    (flag,) = [flag for flag in face.flags if flag.role in ("bad", "stopped")]
    assert (flag.text, flag.more) == ("⊖ 2", "no result")
    assert face.line == "2 no result", "of what was asked for nothing is known to have been edited"
    branch = run.add(StepKind.TOOL, 1, inputs={"name": "Read"}, error=dict(NO_RESULT))
    at = run.says("Both again", at)
    assert (run.faces()[0].flags[-1].text, run.faces()[0].flags[-1].role) == ("⑂ 1", "quiet")
    run.call("Read", branch, error="disk full")
    run.says("Done", at)
    assert (run.faces()[0].flags[-1].text, run.faces()[0].flags[-1].role) == ("⑂ 1 · 2", "bad")


def test_a_failing_group_says_why_most_of_it_failed_and_its_hint_names_every_reason() -> None:
    run = Run()
    at = run.person("Please mend the reader and its tests")
    for error in ("disk full", "Sibling tool call errored", "Sibling tool call errored", "No such key: a"):
        at = run.call("Read", run.says("I look", at), error=error)
    (face,) = run.faces()
    flag = next(flag for flag in face.flags if flag.role == "bad")
    assert flag.text == "✕ 2", "what was cancelled with a call beside it did not fail"
    assert flag.more == "No such key: a; disk full", "of reasons given as often the last comes first"
    assert "disk full" in flag.hint
    for error in ("timed out", "out of memory"):
        at = run.call("Read", run.says("I look", at), error=error)
    (face,) = run.faces()
    flag = next(flag for flag in face.flags if flag.role == "bad")
    assert flag.more == "out of memory; timed out; No such key: a; …", "it does not read as the reason for all"
    assert flag.less == "out of memory"
    stopped = next(flag for flag in face.flags if flag.role == "stopped")
    assert (stopped.text, stopped.more) == ("⊖ 2", "cancelled")
    assert "cancelled, as a call beside it failed" in stopped.hint


def test_a_sub_agents_card_says_what_it_reported() -> None:
    run = Run()
    asked = run.says("I ask", run.person("Review it please, all of it"))
    agent = run.add(StepKind.MODEL, asked, v3_kind="subagent", inputs={"prompt": "p", "description": "Review hooks"})
    last = run.call("Read", run.says("", agent))
    task = {"name": "Task", "arguments": {"description": "Review hooks"}}
    answer = run.add(StepKind.TOOL, asked, last, inputs=task, outputs={"result": REPORT})
    after = run.says("Thanks", answer)
    face = run.faces(agent, after)[1]
    assert face.title == "Review hooks"
    assert face.group is not None
    assert face.group.found == "Two critical issues that should be addressed before merge"


@pytest.mark.parametrize(
    ("report", "found"),
    [
        ("Done.", ""),
        ("", ""),
        ("REPORT-ONE: three lines.", "REPORT-ONE: three lines"),
        ("Here is what I did. I've found that /home/dev/app/src/reader.py never closes its file.",
         "Reader.py never closes its file"),
        ("Now I have a complete view of the changes. The reader loses the last line of every file.",
         "The reader loses the last line of every file"),
        ("## Review\n\nThe two main recommendations are:\n\n1. Take out `old_name`, which nobody calls.\n2. Cut.",
         "The two main recommendations are: Take out old_name, which nobody calls"),
        ("I recommend the following two changes:", "I recommend the following two changes"),
        ("## Review\n\nA bug in the reader is found.\n\n**Overall Verdict:** The change does what it says. It is so.",
         "The change does what it says"),
        ("## Review\n\nA reader is never closed.\n\n### Conclusion\n\nThe change brings no leak into the program.",
         "The change brings no leak into the program"),
        ("All is read, a bug is found.\n\n**Verdict: PASS**", "Verdict: PASS"),
        ("| Dependencies | not checked, a bug may be in them |\n\nNothing is written outside of the folder.",
         "Nothing is written outside of the folder"),
        ("### 1.1 Settings are written in parts (medium risk)", "Settings are written in parts (medium risk)"),
        ("## One\n\nA bug is found in the reader.\n\nVerdict: this section is fine as it stands.\n\n"
         + 60 * "Each line is read once, and kept as it was. ", "A bug is found in the reader"),
        ("Overall assessment: it is ready to be merged now.\n\n" + 99 * "Each line is read once, and kept as it was. ",
         "It is ready to be merged now"),
    ],
)  # fmt: skip
def test_of_a_report_the_sentence_that_says_most_is_given(report: str, found: str) -> None:
    assert found_in(report).lower() == found.lower()


def test_what_one_of_several_sub_agents_found_is_not_said_of_all() -> None:
    run = Run()
    asked = run.says("I ask", run.person("Review it please, all of it"))
    calls = []
    for name in ("Review hooks", "Review names"):
        agent = run.add(StepKind.MODEL, asked, v3_kind="subagent", inputs={"prompt": "p", "description": name})
        task = {"name": "Task", "arguments": {"description": name}}
        last = run.says(REPORT, agent)
        calls.append(run.add(StepKind.TOOL, asked, last, inputs=task, outputs={"result": REPORT}))
    after = run.says("Thanks", *calls)
    face = next(face for face in run.faces(asked, after) if face.kind == "subagent")
    assert face.title.startswith("2 sub-agents")
    assert face.group is not None and face.group.found == ""
    assert face.group.heading_of_members == "2 sub-agents"
    assert face.group.members == (Member("Review hooks", False), Member("Review names", False))
    assert [bar.role for bar in face.group.strip].count("subagent") == 2, "their calls are not counted as further ones"


def test_a_call_that_waits_for_a_sub_agent_is_no_further_one() -> None:
    run = Run()
    last = run.person("Review it please, all of it")
    for tool in ("Task", "TaskOutput", "wait_agent"):
        last = run.call(tool, run.says("", last))
    face = run.faces(run.says("Thanks", last), last)[0]
    assert face.group is not None
    assert [bar.role for bar in face.group.strip].count("subagent") == 1


def test_of_several_sub_agents_those_with_a_failure_are_told_apart() -> None:
    run = Run()
    asked = run.says("I ask", run.person("Review it please, all of it"))
    ends = []
    for name, error in (("Review hooks", "disk full"), ("Review names", "")):
        agent = run.add(StepKind.MODEL, asked, v3_kind="subagent", inputs={"prompt": "p", "description": name})
        ends.append(run.says(REPORT, run.call("Read", agent, error=error)))
    after = run.says("Thanks", *ends)
    face = next(face for face in run.faces(asked, after) if face.kind == "subagent")
    assert face.group is not None
    assert face.group.members == (Member("Review hooks", True), Member("Review names", False))


def test_a_card_that_begins_with_a_person_says_their_words_even_if_it_is_a_loop() -> None:
    run = Run()
    at = run.person("In the roster we should have those markers as well")
    for _ in range(5):
        at = run.call("Read", at)
    (face,) = run.faces()
    assert (face.kind, face.title) == ("human", "“In the roster we should have those markers as well”")


def test_a_quotation_says_that_it_leaves_out_folders() -> None:
    run = Run()
    run.says("Ok", run.person("read packages/coding-agent/docs/theme.md in full"))
    (face,) = run.faces()
    assert face.title.startswith("“read …/theme.md in full”")


def test_work_that_follows_a_persons_words_is_known_as_the_agents() -> None:
    run = Run()
    first = run.person("Two things. Mend the reader", at=100.0)
    second = run.call("Edit", run.says("Good. Let me mend it", first, at=102.0), at=104.0)
    third = run.person("Thank you, that is all I wanted", second, at=110.0)
    run.person("Bye", third, at=120.0)
    asked, thanked = run.faces(third)
    assert asked.group is not None and asked.group.answered
    assert thanked.group is not None and not thanked.group.answered
    assert asked.title == "“Two things. Mend the reader”", "a short first sentence takes the next one with it"


def test_a_long_pause_after_a_card_is_named_unless_what_it_started_ran_meanwhile() -> None:
    run = Run()
    first = run.person("Look at it please, take your time", at=1_000.0)
    said = run.says("I looked", first, at=1_010.0)
    run.person("Now mend it", said, at=1_011.0 + 7_200.0)
    structure = Structure(Graph.of(run.steps))
    cards = Cards(structure.lanes, [2]).cards
    flag = pause_flag(structure, cards[0])
    assert flag is not None and flag.text == "pause 2 h"
    assert pause_flag(structure, cards[1]) is None
    started = Run()
    asked = started.says("I ask", started.person("Look at it please", at=1_000.0), at=1_001.0)
    calls = [started.call("Read", asked, at=1_002.0), started.call("Bash", asked, at=4_600.0)]
    after = started.says("Both are done", *calls, at=4_602.0)
    structure = Structure(Graph.of(started.steps))
    assert pause_flag(structure, Cards(structure.lanes, [after]).cards[0]) is None


def test_the_bars_that_are_explained_are_those_that_occur() -> None:
    run = Run()
    asked = run.says("I look", run.person("Please look at the reader"))
    run.call("Read", asked, result="ok")
    assert bar_roles(Structure(Graph.of(run.steps))) == {"human", LOOKS}
    refused = run.add(StepKind.TOOL, asked, inputs={"name": "Edit", "arguments": {"file_path": "a"}}, error=REFUSED)
    assert bar_roles(Structure(Graph.of(run.steps))) == {"human", LOOKS, EDITS, "stopped"}, "stopped is no failure"
    run.call("Bash", refused, error="disk full")
    assert "bad" in bar_roles(Structure(Graph.of(run.steps)))


def test_a_lone_step_without_figures_leaves_their_line_to_its_words() -> None:
    run = Run()
    run.says("I look", run.person("Please look at the reader"))
    structure = Structure(Graph.of(run.steps))
    card = next(card for card in Cards(structure.lanes, [1]).cards if card.size == 1)
    said = of_one_step(structure, card, 1, CardFace(title="Two lines", line="574 words", figures="not recorded"))
    assert said.figures == ""
    kept = of_one_step(structure, card, 1, CardFace(title="Two lines", line="574 words", figures="32 s"))
    assert kept.figures == "32 s"


def test_the_first_step_of_a_fork_comes_after_no_pause() -> None:
    run = Run()
    said = run.says("I looked", run.person("Look at it please, take your time", at=1_000.0), at=1_010.0)
    run.person("Now mend it", said, at=1_010.0 + 367 * 86_400.0)
    structure = Structure(Graph.of(run.steps))
    card = Cards(structure.lanes, [2]).cards[0]
    assert pause_flag(structure, card) is not None
    assert pause_flag(structure, card, frozenset({0, 1})) is None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("src/importers/reader.py", "edited reader.py"),
        ("a reader with blanks in its name.py", "edited 1"),
        ("src/a_reader_whose_name_is_far_too_long_for_a_card.py", "edited 1"),
        ("src/re\u202eader.py", "edited 1"),
    ],
)
def test_a_file_that_is_the_only_one_edited_is_named_if_it_fits(path: str, said: str) -> None:
    run = Run()
    at = run.says("I mend it", run.person("Please mend the reader"))
    run.add(StepKind.TOOL, at, inputs={"name": "Edit", "arguments": {"file_path": path}}, outputs={"result": "ok"})
    (face,) = run.faces()
    assert said in face.line.split(" · ")
