"""Files: which a run touches, their text at any step, and who wrote a line, in the spellings of many writers."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.files import touched_files as touched_files_module
from opentine_gui.core.analysis.files.blame import FROM_BEFORE, NOT_THERE, blame_line, blame_present
from opentine_gui.core.analysis.files.file_change import file_uses
from opentine_gui.core.analysis.files.file_text import BEFORE, CHANGED_OUTSIDE, NOT_IN_CALL, FileText, text_at, versions
from opentine_gui.core.analysis.files.touched_files import Touched, TouchedFile, touched_files
from opentine_gui.core.analysis.tool_call import tool_call
from tests.core.analysis.call_runs import Recording

PATCH = """\
*** Begin Patch
*** Update File: a.py
@@ def f():
-    return 1
+    return 2
*** Add File: b.py
+x = 1
*** Delete File: c.py
*** End Patch"""
UNIFIED = """\
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
 def f():
-    return 1
+    return 2
"""
BLOCK = "<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE"
BEFORE_TEXT, AFTER_TEXT = "def f():\n    return 1\n", "def f():\n    return 2\n"


def only(record: RunRecord) -> TouchedFile:
    (file,) = touched_files(record.graph).files
    return file


def left(record: RunRecord, path: str = "a.py") -> FileText:
    file = touched_files(record.graph).file(path)
    assert file is not None
    return text_at(record.graph, file, len(record.graph) - 1)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Edit", {"file_path": "a.py", "old_string": "return 1", "new_string": "return 2"}),
        ("edit", {"filePath": "a.py", "oldString": "return 1", "newString": "return 2"}),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "1", "new_string": "2"}]}),
        ("edit", {"path": "a.py", "edits": [{"oldText": "return 1", "newText": "return 2"}]}),
        ("str_replace_editor", {"command": "str_replace", "path": "a.py", "old_str": "1", "new_str": "2"}),
        ("replace", {"file_path": "a.py", "old_string": "return 1", "new_string": "return 2", "instruction": "x"}),
        ("apply_patch", {"input": PATCH}),
        ("apply_patch", PATCH),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]}),
        ("shell", {"command": ["bash", "-lc", f"applypatch << 'EOF'\n{PATCH}\nEOF"]}),
        ("patch_file", {"diff": UNIFIED}),
        ("replace_in_file", {"path": "a.py", "diff": BLOCK}),
        ("write_file", {"path": "a.py", "contents": AFTER_TEXT}),
        ("bash", {"command": f"cat > a.py <<'EOF'\n{AFTER_TEXT}EOF"}),
        ("functions.Write", '{"file_path": "a.py", "content": "def f():\\n    return 2\\n"}'),
    ],
)
def test_the_text_after_an_edit_is_known_in_every_spelling(name: str, arguments: Any) -> None:
    run = Recording()
    run.call("Write", {"file_path": "a.py", "content": BEFORE_TEXT})
    edit = run.call(name, arguments)
    found = left(run.record())
    assert found.text == AFTER_TEXT
    assert found.writers[:2] == (0, edit)


@pytest.mark.parametrize(
    ("name", "arguments", "reads"),
    [
        ("Read", {"file_path": "/w/a.py"}, True),
        ("view", {"path": "/w/a.py"}, True),
        ("str_replace_based_edit_tool", {"command": "view", "path": "/w/a.py"}, True),
        ("bash", {"command": "cd /w && cat /w/a.py | head"}, True),
        ("shell", {"command": ["sed", "-n", "1,5p", "/w/a.py"]}, True),
        ("bash", {"command": "sed -i s/1/2/ /w/a.py"}, False),
        ("bash", {"command": "echo x >> /w/a.py"}, False),
        ("bash", {"command": "rm -f /w/a.py"}, False),
        ("bash", {"command": "FOO=1 printf '%s' 'a > b' > '/w/a.py' 2>&1"}, False),
        ("bash", {"command": "ls\ncat '/w/a.py'"}, True),
        ("bash", {"command": "cd /w && sed -i '' 's|from ../x|from ../y|g' a.py"}, False),
        ("bash", {"command": "cd /v && cd ../w && cat a.py"}, True),
        ("exec_command", {"cmd": "cat a.py", "workdir": "/w"}, True),
    ],
)
def test_reads_and_changes_are_told_apart(name: str, arguments: Any, reads: bool) -> None:
    run = Recording()
    run.call(name, arguments, "def f(): ...")
    file = only(run.record())
    assert (file.path, bool(file.reads), bool(file.changes)) == ("/w/a.py", reads, not reads)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("bash", {"command": "pytest -q 2>&1 | tail -5"}),
        ("bash", {"command": "ls *.py && echo done > /dev/null"}),
        ("bash", {"command": 'git log --format="%h %s%n <%ae>%n done" | head'}),
        ("bash", {"command": "make 2> /dev/null 2>&1"}),
        ("bash", {"command": 'python -c "print(1 > 0)"'}),
        ("WebSearch", {"query": "how to read a file"}),
        ("Grep", {"pattern": "def f"}),
        ("bash", {"command": "python - <<'EOF'\nopen('a.py', 'w')\nEOF"}),
        ("bash", {"command": "echo 'an open quote"}),
    ],
)
def test_a_call_that_names_no_file_touches_none(name: str, arguments: Any) -> None:
    run = Recording()
    run.call(name, arguments)
    assert touched_files(run.record().graph).files == ()


def test_a_read_of_the_whole_file_tells_its_text_and_no_writer() -> None:
    run = Recording()
    run.call(
        "Read", {"file_path": "/w/a.py"}, "     1→def f():\n     2→    return 1\n\n<system-reminder>x</system-reminder>"
    )
    edit = run.call("Edit", {"file_path": "/w/a.py", "old_string": "return 1", "new_string": "return 2"})
    found = left(run.record())
    assert found.lines == ("def f():", "    return 2")
    assert found.writers == (BEFORE, edit)


def test_a_part_of_a_file_or_a_cut_one_tells_nothing() -> None:
    run = Recording()
    run.call("Read", {"file_path": "/w/a.py", "offset": 10, "limit": 2}, "    10→x\n    11→y")
    run.call("Read", {"file_path": "/w/a.py"}, "     1→x\n[…]\n   900→y")
    assert left(run.record()).lines is None


@pytest.mark.parametrize(
    "answer", ["<tool_output_masked>\nx", "Output too large (90 KB).\nx", "x\n[Showing lines 1-40 of 900]"]
)
def test_an_answer_that_says_it_is_cut_is_not_the_whole_file(answer: str) -> None:
    run = Recording()
    run.call("Read", {"file_path": "/w/a.py"}, answer)
    assert left(run.record()).lines is None


def test_what_changed_outside_makes_the_text_unknown_until_it_is_read_again() -> None:
    run = Recording()
    run.call("Write", {"file_path": "/w/a.py", "content": "one\ntwo\n"})
    run.call("Edit", {"file_path": "/w/a.py", "old_string": "three", "new_string": "four"})
    assert left(run.record()) == FileText(None, (), CHANGED_OUTSIDE)
    run.call("Read", {"file_path": "/w/a.py"}, "1\tone\n2\tfour\n")
    assert left(run.record()).lines == ("one", "four")
    run.call("bash", {"command": "sed -i s/one/1/ /w/a.py"})
    assert left(run.record()).reason == NOT_IN_CALL


def test_a_failed_edit_changes_nothing_and_is_no_writer() -> None:
    run = Recording()
    run.call("Write", {"file_path": "/w/a.py", "content": "one\n"})
    run.call("Edit", {"file_path": "/w/a.py", "old_string": "two", "new_string": "x"}, failed="not found")
    record = run.record()
    assert left(record).text == "one\n"
    assert only(record).last_writer == 0


def test_each_branch_has_a_text_of_its_own() -> None:
    run = Recording()
    start = run.call("Write", {"file_path": "/w/a.py", "content": "one\n"})
    here = run.call("Edit", {"file_path": "/w/a.py", "old_string": "one", "new_string": "two"})
    there = run.call("Edit", {"file_path": "/w/a.py", "old_string": "one", "new_string": "three"}, after=[start])
    graph = run.record().graph
    (file,) = touched_files(graph).files
    assert [text_at(graph, file, step).text for step in (start, here, there)] == ["one\n", "two\n", "three\n"]
    assert [version.position for version in versions(graph, file, there)] == [start, there]


def test_an_insert_and_a_replacement_everywhere_are_carried_out() -> None:
    run = Recording()
    run.call("create", {"path": "a.py", "file_text": "x\nx\n"})
    run.call("str_replace_editor", {"command": "insert", "path": "a.py", "insert_line": 1, "new_str": "y\n"})
    run.call("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "z", "replace_all": True})
    assert left(run.record()).lines == ("z", "y", "z", "")


def test_failing_checks_belong_to_the_files_they_name() -> None:
    run = Recording()
    run.call("Read", {"file_path": "/w/src/reader.py"}, "1\tx\n")
    run.call("Write", {"file_path": "/w/tests/test_reader.py", "content": "x\n"})
    check = run.call("Bash", {"command": "pytest -q"}, failed="tests/test_reader.py:4: E\nsrc/reader.py:88 KeyError")
    run.call("Bash", {"command": "ls src/reader.py"}, failed="no such file src/reader.py")
    touched = touched_files(run.record().graph)
    assert [(file.path, file.failing) for file in touched.files] == [
        ("/w/tests/test_reader.py", (check,)),
        ("/w/src/reader.py", (check,)),
    ]


def test_a_check_that_failed_by_what_it_printed_belongs_to_the_files_it_names_and_an_interrupted_one_to_none() -> None:
    run = Recording()
    run.call("Edit", {"file_path": "/w/src/registry.go", "old_string": "1", "new_string": "2"}, "ok")
    printed = "[lint:go] src/registry.go:27:1: Get returns interface\n[lint:go] ERROR task failed"
    failing = run.call("Bash", {"command": "mise run lint 2>&1 | tail -10"}, printed)
    run.call("Bash", {"command": "go test src/registry.go"}, error={"type": "interrupted", "message": "by the user"})
    run.call("Bash", {"command": "mise run lint | tail"}, "src/registry.go:27: fine\n0 issues.")
    (file,) = touched_files(run.record().graph).files
    assert file.failing == (failing,)


def test_a_relative_path_is_the_only_absolute_one_that_ends_in_it() -> None:
    run = Recording()
    run.call("Read", {"file_path": "/w/src/a.py"}, "x")
    run.call("bash", {"command": "cat src/a.py"}, "x")
    assert only(run.record()).reads == (0, 1)
    run.call("Read", {"file_path": "/v/src/a.py"}, "x")
    assert len(touched_files(run.record().graph).files) == 3


def test_a_growing_run_reads_only_its_new_steps() -> None:
    run = Recording()
    run.call("Write", {"file_path": "a.py", "content": "one\n"})
    first = touched_files(run.record().graph)
    run.call("Read", {"file_path": "a.py"}, "one")
    grown = run.record()
    again = touched_files(grown.graph, known=first.steps)
    assert again == touched_files(grown.graph)
    identity = grown.graph.ids[0]
    assert again.steps[identity] is first.steps[identity]


def test_a_line_is_blamed_on_the_step_that_wrote_it() -> None:
    run = Recording()
    run.call("Read", {"file_path": "/w/a.py"}, "1\tdef f():\n2\t    return 1\n")
    edit = run.call("Edit", {"file_path": "/w/a.py", "old_string": "return 1", "new_string": "return 2"})
    text = left(run.record())
    assert blame_line(text, 2).writer == edit
    assert blame_line(text, 1)[1:] == (None, FROM_BEFORE)
    with pytest.raises(LookupError, match="2 lines"):
        blame_line(text, 3)


def test_a_file_on_the_disk_is_matched_to_what_the_run_left() -> None:
    run = Recording()
    write = run.call("Write", {"file_path": "/w/a.py", "content": "one\ntwo\n"})
    graph = run.record().graph
    found = blame_present("zero\none\n2\n", versions(graph, only(run.record()), write))
    assert [line.writer for line in found[:3]] == [None, write, None]
    assert found[0].reason == NOT_THERE


def test_without_a_known_text_edits_are_taken_back_from_the_end() -> None:
    run = Recording()
    first = run.call(
        "Edit", {"file_path": "/w/a.py", "old_string": "    a = 1\n    b = 1", "new_string": "    a = 2\n    b = 1"}
    )
    second = run.call(
        "Edit", {"file_path": "/w/a.py", "old_string": "    b = 1\n    c = 1", "new_string": "    b = 2\n    c = 1"}
    )
    record = run.record()
    present = "def f():\n    a = 2\n    b = 2\n    c = 1\n"
    found = blame_present(present, versions(record.graph, only(record), second))
    assert [line.writer for line in found] == [None, first, second, None, None]


_line = st.sampled_from(["a", "b", "  a", "c\td", "", "é"])
_text = st.lists(_line, max_size=8).map("\n".join)


@given(_text, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6), _text), max_size=6))
def test_a_text_follows_any_edits_exactly_and_a_changed_line_has_its_writer(
    start: str, edits: list[tuple[int, int, str]]
) -> None:
    run, text = Recording(), start
    run.call("Write", {"file_path": "/w/a.py", "content": start})
    for place, length, new in edits:
        old = text[place : place + length]
        if not old or text.count(old) != 1 or old == new:
            continue
        run.call("Edit", {"file_path": "/w/a.py", "old_string": old, "new_string": new})
        text = text.replace(old, new)
    record = run.record()
    found = versions(record.graph, only(record), len(record.graph) - 1)
    assert found[-1].text.text == text
    assert len(found[-1].text.writers) == len(found[-1].text.lines or ())
    for before, after in itertools.pairwise(found):
        assert after.position in after.text.writers or set(after.text.lines or ()) <= set(before.text.lines or ())


@given(
    st.dictionaries(st.text(max_size=12), st.none() | st.integers() | st.text() | st.lists(st.text()), max_size=4),
    st.text(),
)
def test_no_arguments_however_odd_raise(arguments: dict[str, Any], extra: str) -> None:
    run = Recording()
    for name in ("Edit", "Read", "bash", "apply_patch"):
        run.call(name, {**arguments, "file_path": extra, "command": extra})
        run.call(name, {"command": extra, "patch": extra})
        run.call(name, extra)
    graph = run.record().graph
    touched: Touched = touched_files(graph)
    for file in touched.files:
        versions(graph, file, len(graph) - 1)
    assert all(isinstance(file_uses(call), list) for place in range(len(graph)) if (call := tool_call(graph, place)))


def test_thousands_of_files_of_one_name_are_not_all_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = [0]
    is_end_of = touched_files_module.is_end_of

    def count(end: str, path: str) -> bool:
        compared[0] += 1
        return is_end_of(end, path)

    monkeypatch.setattr(touched_files_module, "is_end_of", count)
    recording = Recording()
    paths = [f"/w/{number}/f" for number in range(400)] + [f"{number}/f" for number in range(400)]
    recording.call("Bash", {"command": "cat " + " ".join(paths)}, "")
    found = touched_files(recording.record().graph)
    assert len(found.files) == 800
    assert compared[0] <= 10_000
