"""What had not passed when a run ended: known from its calls, never from what the agent said."""

from __future__ import annotations

import pytest

from opentine_gui.core.analysis.files.touched_files import Touched, touched_files
from opentine_gui.core.analysis.suspicion import check_scope
from opentine_gui.core.analysis.suspicion.call_facts import call_facts
from opentine_gui.core.analysis.suspicion.open_checks import MOST_OPEN, OpenEnd, open_end
from opentine_gui.core.analysis.suspicion.reasons import Reason
from opentine_gui.core.analysis.suspicion.suspects import ends_of, suspects
from opentine_gui.describe.finding_words import open_end_hint, open_end_sentence, open_end_words, reason_words
from tests.core.analysis.call_runs import Recording, ended, shell
from tests.growth import control_text, excess


def unchecked_suspects(run: Recording) -> list[tuple[int, str]]:
    record = run.record()
    graph = record.graph
    found = suspects(graph, ends_of(record), touched_files(graph), main=len(graph) - 1).suspects
    return [
        (suspect.position, reason_words(one))
        for suspect in found
        for one in suspect.evidence
        if one.reason is Reason.UNCHECKED
    ]


def test_a_check_that_failed_the_last_time_it_ran_is_named_whatever_was_said_after_it() -> None:
    run = Recording()
    run.ask("mend it")
    shell(run, "pytest tests/a.py")
    last = shell(run, "pytest tests/a.py", failed="1 failed")
    run.say("All tests pass.")
    assert ended(run) == OpenEnd((last,))


def test_a_check_that_passed_in_the_end_is_not() -> None:
    run = Recording()
    run.ask("mend it")
    shell(run, "pytest tests/a.py", failed="1 failed")
    passed = shell(run, "pytest tests/a.py")
    assert ended(run) == OpenEnd(passed=passed)
    run.call("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"})
    assert ended(run) == OpenEnd(passed=passed, edits=1), "what was edited after it is not known to pass"


def test_the_last_command_counts_in_the_last_turn_alone() -> None:
    run = Recording()
    run.ask("publish it")
    last = shell(run, "npm run release", failed="no such script")
    assert ended(run) == OpenEnd((), last)
    run.ask("leave it")
    assert ended(run) == OpenEnd(), "what went wrong before somebody asked for something else did not end the run"


def test_a_refused_check_tells_nothing() -> None:
    run = Recording()
    run.ask("mend it")
    refusal = {"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}
    run.call("Bash", {"command": "pytest"}, error=refusal)
    assert ended(run) == OpenEnd()


def test_a_check_whose_exit_code_is_lost_in_a_pipe_passed_only_if_it_says_so() -> None:
    run = Recording()
    run.ask("mend it")
    piped = {"command": "npm test 2>&1 | tail -3"}
    clear = run.call("Bash", piped, "12 passed")
    assert ended(run) == OpenEnd(passed=clear)
    unclear = run.call("Bash", piped, "> tsc --noEmit")
    assert ended(run) == OpenEnd(passed=unclear, unclear=True)
    failing = run.call("Bash", piped, "FAIL src/a.test.ts")
    assert ended(run) == OpenEnd((failing,))


def test_where_nothing_was_checked_the_edits_of_programs_are_counted() -> None:
    run = Recording()
    run.ask("mend it")
    edit = {"old_string": "a", "new_string": "b"}
    run.call("Edit", {"file_path": "README.md", **edit})
    assert ended(run) == OpenEnd(), "prose needs no check"
    run.call("Edit", {"file_path": "a.py", **edit})
    last = run.call("Edit", {"file_path": "b.py", **edit})
    run.call("Edit", {"file_path": "c.py", **edit}, failed="not found")
    run.say("All tests pass.")
    assert ended(run) == OpenEnd(edits=2, unchecked=last)
    assert open_end_words(ended(run)) == "2 edits, none of them checked"
    passed = shell(run, "pytest")
    assert ended(run) == OpenEnd(passed=passed)


def test_a_program_run_by_hand_is_answered_by_the_script_of_the_whole_that_passed_later() -> None:
    run = Recording()
    run.ask("mend it")
    shell(run, "cd web && npm run check", failed="src/a.ts(1,2): error TS1")
    shell(run, "cd web && npx tsc --noEmit --skipLibCheck src/**/*.ts 2>&1 | grep -v tui", failed="error TS1")
    passed = shell(run, "cd web && npm run check")
    assert ended(run) == OpenEnd(passed=passed)


def test_a_part_that_passes_does_not_answer_the_whole_that_failed() -> None:
    run = Recording()
    run.ask("mend it")
    failing = shell(run, "pytest", failed="2 failed")
    shell(run, "pytest tests/a.py")
    shell(run, "cd web && pytest")
    assert ended(run) == OpenEnd((failing,))
    passed = shell(run, "pytest -q")
    assert ended(run) == OpenEnd(passed=passed)


@pytest.mark.parametrize(
    ("failing", "nothing"),
    [
        ("pytest", "pytest --collect-only -q"),
        ("pytest tests/a.py", "pytest --help"),
        ("make test", "make -n test"),
        ("ruff check .", "ruff check --exit-zero ."),
        ("go test ./...", "go test ./... -run TestX"),
    ],
)
def test_a_command_that_runs_no_check_or_a_part_of_it_does_not_close_one_that_failed(
    failing: str, nothing: str
) -> None:
    run = Recording()
    run.ask("mend it")
    failed = shell(run, failing, failed="1 failed")
    shell(run, nothing)
    assert ended(run) == OpenEnd((failed,))
    passed = shell(run, failing)
    assert ended(run) == OpenEnd(passed=passed)


def test_a_command_that_runs_no_check_fails_none() -> None:
    run = Recording()
    run.ask("mend it")
    passed = shell(run, "pytest")
    shell(run, "pytest --collect-only", failed="ImportError")
    run.ask("leave it")
    assert ended(run) == OpenEnd(passed=passed)


def test_of_checks_that_contain_each_other_the_last_is_named_and_others_beside_it() -> None:
    run = Recording()
    run.ask("mend it")
    whole = shell(run, "npm run build", failed="error")
    part = shell(run, "npm run build -w @shop/web", failed="error")
    assert ended(run) == OpenEnd((part,))
    shell(run, "npm run build -w @shop/web")
    assert ended(run) == OpenEnd((whole,)), "the whole has not passed"
    other = shell(run, "ruff check", failed="Found 1 error")
    assert ended(run) == OpenEnd((whole, other))


def test_what_failed_and_ran_again_without_saying_how_it_ended_is_not_covered_up_by_another_check() -> None:
    run = Recording()
    run.ask("mend it")
    piped = {"command": "npm run check 2>&1 | tail -3"}
    run.call("Bash", piped, "npm error code 2")
    unclear = run.call("Bash", piped, "> tsc --noEmit")
    shell(run, "pytest")
    assert ended(run) == OpenEnd(passed=unclear, unclear=True)
    clear = shell(run, "npm run check")
    assert ended(run) == OpenEnd(passed=clear)


def test_what_ran_after_an_edit_is_no_check_and_yet_not_nothing() -> None:
    run = Recording()
    run.ask("mend it")
    run.call("create", {"path": "reproduce.py", "file_text": "print(1)"})
    first = run.call("edit", {"search": "a", "replace": "b"})
    ran = shell(run, "python reproduce.py")
    assert ended(run) == OpenEnd(unchecked=first, ran=ran)
    assert open_end_words(ended(run)) == "no check recorded"
    assert open_end_sentence(ended(run)) == "No check recorded, a command ran after the last edit"
    assert not unchecked_suspects(run)
    last = run.call("edit", {"search": "b", "replace": "c"})
    run.say("Done.")
    assert ended(run) == OpenEnd(edits=1, unchecked=last, ran=ran)
    assert open_end_words(ended(run)) == "1 edit after the last command"
    assert unchecked_suspects(run) == [(last, "nothing was run after it")], "the list of suspects says the same"


def test_of_edits_those_after_the_last_command_are_counted_as_the_suspects_count_them() -> None:
    run = Recording()
    run.ask("mend it")
    edit = {"old_string": "a", "new_string": "b"}
    run.call("Edit", {"file_path": "/w/a.yml", **edit})
    ran = shell(run, "ruby -e 'load'", failed="Psych::SyntaxError")
    run.ask("go on")
    run.call("Edit", {"file_path": "/w/a.yml", **edit})
    last = run.call("Edit", {"file_path": "/w/b.yml", **edit})
    refusal = {"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}
    run.call("Bash", {"command": "python3 check.py"}, error=refusal)
    run.call("Bash", {"command": "rm /w/c.yml"})
    run.say("Done.")
    assert ended(run) == OpenEnd(edits=2, unchecked=last, ran=ran)
    assert open_end_sentence(ended(run)) == "No check recorded, nothing run after the last 2 edits"
    assert unchecked_suspects(run) == [(last, "the last of 2 edits after which nothing was run")]


def test_of_checks_in_one_line_that_failed_each_has_to_pass() -> None:
    run = Recording()
    run.ask("mend it")
    failing = shell(run, "npm run lint && npm test", failed="1 failed")
    shell(run, "npm run lint")
    assert ended(run) == OpenEnd((failing,)), "the tests did not run again"
    passed = shell(run, "npm install && npm test")
    assert ended(run) == OpenEnd(passed=passed)


def test_only_what_the_exit_code_of_a_line_tells_of_has_passed() -> None:
    run = Recording()
    run.ask("mend it")
    failing = shell(run, "npm run lint", failed="1 problem")
    shell(run, "npm run lint; npm test")
    shell(run, "npm install; npm run lint")
    assert ended(run) == OpenEnd((failing,)), "not every log tells the exit code of a terminal"


def test_thousands_of_checks_that_fail_in_many_ways_are_looked_through_in_time_that_follows_their_number() -> None:
    def run_of(steps: int) -> Recording:
        run = Recording()
        for number in range(steps):
            files = " ".join(f"tests/{number}-{place}.py" for place in range(70))
            run.call("Bash", {"command": f"pytest {files}"}, failed="1 failed")
            run.call("Bash", {"command": f"ruff check src/{number}"}, "ok")
        return run

    graphs = {steps: run_of(steps).record().graph for steps in (40, 400)}
    facts = {steps: call_facts(graph, range(len(graph)), {}) for steps, graph in graphs.items()}
    nothing = Touched()

    def look(steps: int) -> OpenEnd:
        graph = graphs[steps]
        check_scope._checks_of.cache_clear()
        return open_end(graph, range(len(graph)), facts[steps], nothing)

    assert len(look(400).checks) <= MOST_OPEN
    assert not excess(lambda: look(40), lambda: look(400), (control_text(80), control_text(800)))


@pytest.mark.parametrize(
    ("command", "printed", "failed", "words"),
    [
        ("npm test; echo x", "x", "", "last check unclear"),
        ("npm test\necho x", "x", "", "last check unclear"),
        ("npm test > log; tail log", "4 passed", "", "last check passed"),
        ("npm test; echo x", "4 passed\n=== 1 failed, 4 passed ===\nx", "", "last check unclear"),
        ("npm test; npm run lint; echo x", "4 passed\nx", "", "last check unclear"),
        ("npm test; grep TODO a.ts", "4 passed", "exit code 1", "last command failed"),
        ("npm test; grep TODO a.ts", "FAIL a.test.ts", "exit code 1", "1 failing check"),
        ("echo x; npm test", "x", "", "last check passed"),
        ("npm test && echo x", "x", "", "last check passed"),
        ("cd web; npm test", "", "", "last check passed"),
        ("npm test; # all of them", "", "", "last check passed"),
        ("cd web; if true; then npm test; fi", "", "", "last check passed"),
        ("set -e; npm test; echo x", "x", "", "last check passed"),
        ("npm test; code=$?; echo $code; exit $code", "0", "", "last check passed"),
        ("npm test \\\n  --silent", "", "", "last check passed"),
        ("npm test &&\n  echo x", "x", "", "last check passed"),
        ("npm test # first; then more", "", "", "last check passed"),
        ("npm test\n# all of them\n", "", "", "last check passed"),
        ("npm test -- 'a; b'", "", "", "last check passed"),
        ("npm test\n\necho x", "x", "", "last check unclear"),
        ("npm test; echo x; exit 0", "x", "", "last check unclear"),
        ("if ! npm test; then exit 1; fi; echo x", "", "exit code 1", "1 failing check"),
        ("if ! npm test\nthen\n  echo bad\n  exit 1\nfi\necho x", "bad", "exit code 1", "1 failing check"),
        ("npm test || exit 1; echo x", "", "exit code 1", "1 failing check"),
        ("npm test || exit 1\necho x", "x", "", "last check passed"),
        ("npm test || return; echo x", "x", "", "last check passed"),
        ("npm test || exit $?; echo x", "x", "", "last check passed"),
        ("npm test || { echo bad; exit 1; }; echo x", "bad", "exit code 1", "1 failing check"),
        ("npm test || { echo bad; exit 1; }; echo x", "x", "", "last check passed"),
        ("npm test || exit 1; npm run lint; echo x", "x", "", "last check unclear"),
        ("npm test || exit 0; echo x", "x", "", "last check unclear"),
        ("npm test || { echo bad; }; echo x", "x", "", "last check unclear"),
        ("npm test | tail || exit 1; echo x", "x", "", "last check unclear"),
        ("npm test; cd web || exit 1; echo x", "x", "", "last check unclear"),
        ("npm test || echo bad || exit 1; echo x", "x", "", "last check unclear"),
        ("( npm test || exit 1 ); echo x", "x", "", "last check unclear"),
        ("( cd web; npm test || exit 1; echo y ); echo x", "x", "", "last check unclear"),
        ("if ! npm test; then exit 0; fi; echo x", "x", "", "last check unclear"),
        ("if ! npm test; then echo bad; fi; echo x", "x", "", "last check unclear"),
        ("if ! npm test; then if true; then exit 1; fi; fi; echo x", "x", "", "last check unclear"),
        ("set -x -e\nnpm run lint\necho x", "", "exit code 1", "1 failing check"),
        ("set -o pipefail -e; npm test; echo x", "x", "", "last check passed"),
        ("set -x\nnpm test\necho x", "x", "", "last check unclear"),
        ("if npm test; then echo good; else echo bad; fi", "good", "", "last check unclear"),
    ],
)  # fmt: skip
def test_the_exit_code_of_a_command_behind_it_says_nothing_of_a_check(
    command: str, printed: str, failed: str, words: str
) -> None:
    run = Recording()
    run.ask("mend it")
    run.call("Bash", {"command": command}, printed, **({"failed": failed} if failed else {}))
    assert open_end_words(ended(run)) == words


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("npm test; echo done", "done"),
        ("npm test; echo done", "Tests: 1 failed, 5 passed\ndone"),
        ("npm run lint; npm test; echo done", "All checks passed!\n1 error\ndone"),
        ("npm test | tail", "one line"),
    ],
)
def test_why_the_end_is_unclear_is_true_whatever_was_printed(command: str, printed: str) -> None:
    run = Recording()
    run.ask("mend it")
    run.call("Bash", {"command": command}, printed)
    hint = open_end_hint(run.record().graph, ended(run))
    assert hint.splitlines()[-1] == (
        "Its exit code is not recorded, or is lost in a pipe or before another command, "
        "and what it printed does not say that all of it passed."
    )


def test_checks_that_each_end_the_line_where_they_fail_have_all_passed_if_it_did() -> None:
    run = Recording()
    run.ask("mend it")
    shell(run, "npx tsc --noEmit", failed="src/a.ts(1,1): error TS1")
    shell(run, "npm test", failed="1 failing")
    last = shell(run, "npx tsc --noEmit || exit 1; echo typed; npm test || exit 1")
    assert ended(run) == OpenEnd(passed=last)


def test_a_check_that_failed_and_ran_again_before_another_command_is_neither_failing_nor_passed() -> None:
    run = Recording()
    run.ask("mend it")
    shell(run, "npm test", failed="1 failing")
    again = shell(run, "npm test; echo done")
    shell(run, "npm run lint")
    assert ended(run) == OpenEnd(passed=again, unclear=True)
