"""How two runs diverge, in words."""

from __future__ import annotations

from opentine_gui.core import StepKind, compare
from opentine_gui.core.model import JsonObject
from opentine_gui.describe.comparison_words import divergence_sentence
from tests.core.analysis.call_runs import Recording


def sentence(one: JsonObject, other: JsonObject) -> str:
    """What is said of two runs whose second step has the same inputs and these outputs."""
    runs = []
    for name, outputs in (("one", one), ("other", other)):
        run = Recording()
        run.ask("mend it")
        run.add(StepKind.TOOL, {"name": "Edit", "arguments": {"file_path": "a.py"}}, outputs=outputs)
        runs.append(run.record(run_id=name))
    comparison = compare(*runs)
    (root,) = comparison.root_divergences
    return divergence_sentence(comparison, root)


def test_the_same_request_has_two_outcomes_only_if_both_are_recorded() -> None:
    assert sentence({"result": "a"}, {"result": "b"}).endswith("both ask the same and get different outcomes.")
    assert sentence({}, {"result": "b"}).endswith("both ask the same, and no outcome is recorded in A.")
    assert sentence({"result": "a"}, {}).endswith("both ask the same, and no outcome is recorded in B.")
