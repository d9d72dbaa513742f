"""Figures of a run as the inspector says them."""

from __future__ import annotations

from opentine_gui.app.inspect.facts import asked_last, run_facts
from opentine_gui.app.inspect.figures import Figure, totals_figures
from opentine_gui.core import RunRecord, Step, StepKind, Totals
from tests.app.conftest import Bench
from tests.core.sample_runs import make_record, make_step

IMPORTED = {"capture": {"method": "transcript-import"}}


def test_sums_of_a_log_that_recorded_only_a_part_are_lower_bounds_and_times_are_not() -> None:
    sums = Totals(steps=2, cost=0.5, duration=3.0, tokens=900, tokens_recorded=2)
    plain = [figure.value for figure in totals_figures(sums)]
    assert [figure.value for figure in totals_figures(sums, at_least=True)] == [
        f"≥ {plain[0]}",
        plain[1],
        f"≥ {plain[2]}",
    ]
    assert totals_figures(Totals(), at_least=True) == totals_figures(Totals()), "what is not recorded has no bound"


def test_a_click_on_a_figure_copies_its_value_and_never_what_explains_it() -> None:
    assert Figure("Integrity", "mismatch", hint="Its id is not that of its content.").copied == "mismatch"
    assert Figure("Id", "4f2a", full="4f2a77").copied == "4f2a77"
    assert Figure("Kind", "llm").tooltip == "Click to copy"


def said_by(*words: str) -> RunRecord:
    """A run of turns: a person's words and an answer to each; a last word of a branch that leads nowhere."""
    steps: list[Step] = []
    for number, text in enumerate(words):
        steps.append(make_step(text, *(step.id for step in steps[-1:]), v3_kind="human"))
        steps.append(make_step(f"answer {number}", steps[-1].id))
    steps.append(make_step("abandoned", steps[0].id, v3_kind="human"))
    return make_record(steps, refs={"main": steps[-2].id}, metadata={"user_prompt": words[0]})


def lines_of(text: str) -> list[str]:
    return text.split("\n")


def test_the_last_question_is_said_with_its_step_and_abandoned_branches_do_not_count() -> None:
    record = said_by("Build it", "Now\x1b[31m mend\u202e it\nplease")
    assert asked_last(record) == ("Asked last", "Now mend it\nplease", (), record.graph.ids[2])


def test_a_run_of_one_turn_asks_nothing_last() -> None:
    assert asked_last(said_by("Build it")) is None
    assert asked_last(make_record([make_step("think")])) is None


def test_a_short_request_stands_with_what_was_said_before_it() -> None:
    asked = make_step("Build it", v3_kind="human")
    offer = make_step("", asked.id, kind=StepKind.MODEL, outputs={"text": "It is built. Shall I commit it?"})
    call = make_step("", offer.id, kind=StepKind.TOOL)
    yes = make_step("yes", call.id, v3_kind="human")
    record = make_record([asked, offer, call, yes], refs={"main": yes.id}, metadata={"user_prompt": "Build it"})
    assert asked_last(record) == ("Asked last", "yes", ("after “Shall I commit it?”",), yes.id)


def test_a_long_last_request_is_cut() -> None:
    asked = asked_last(said_by("Build it", "word " * 1000))
    assert asked is not None and 250 < len(asked.text) <= 300


def test_an_agents_log_says_what_it_recorded_of_sub_agents_and_another_run_nothing(bench: Bench) -> None:
    def said(record: RunRecord) -> list[str]:
        document = bench.open("run.tine", record)
        return [fact.value for fact in run_facts(document, record, lines_of, ()) if fact.label == "sub-agents"]

    assert said(said_by("Build it")) == []
    assert said(make_record([make_step("think")], metadata=IMPORTED)) == ["none recorded"]
    assert said(make_record([make_step("review", v3_kind="subagent")])) == ["1"]


def test_a_choice_stands_with_what_the_answer_said_that_it_is() -> None:
    asked = make_step("Build it", v3_kind="human")
    text = "Two ways:\n\n### Option 1: Track it in the session\n### Option 2: Lock the file\n\nWhich would you prefer?"
    offer = make_step("", asked.id, kind=StepKind.MODEL, outputs={"text": text})
    chosen = make_step("let's do option 1 straight away, and commit", offer.id, v3_kind="human")
    record = make_record([asked, offer, chosen], refs={"main": chosen.id}, metadata={"user_prompt": "Build it"})
    said = "let's do option 1 straight away, and commit"
    assert asked_last(record) == ("Asked last", said, ("option 1: “Track it in the session”",), chosen.id)


def test_a_run_of_one_prompt_that_has_another_title_says_that_it_was_asked_once() -> None:
    asked = make_step("Build it", v3_kind="human")
    answer = make_step("It is built", asked.id)
    meta = {"user_prompt": "Build it"}
    assert asked_last(make_record([asked, answer], metadata=meta)) is None, "the panel's title says it"
    said = asked_last(make_record([asked, answer], metadata={**meta, "title": "A reader"}))
    assert said == ("Asked once", "Build it", (), asked.id)


def test_a_turn_beside_another_prompt_that_named_the_run_is_not_the_only_thing_that_was_asked() -> None:
    asked = make_step("Now mend it", v3_kind="human")
    record = make_record([asked, make_step("It is mended", asked.id)], metadata={"user_prompt": "Build it"})
    assert asked_last(record) == ("Asked last", "Now mend it", (), asked.id)
