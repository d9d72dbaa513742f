"""Sources made to break a reader: errors of ours or values left out, and time that follows the length."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from lzma import compress
from pathlib import Path

import pytest

from opentine_gui.core import FormatError
from opentine_gui.core.format.container import zstd_module
from opentine_gui.core.progress import Pace
from opentine_gui.importers import readers
from opentine_gui.importers.agents.table import AGENTS, Places
from opentine_gui.importers.claude_code import requests
from opentine_gui.importers.claude_code.content import tag
from opentine_gui.importers.frameworks.openhands.source import Conversation, Event
from opentine_gui.importers.frameworks.openhands.tree import Tree
from opentine_gui.importers.frameworks.spans.dialects import numbered
from opentine_gui.importers.frameworks.trajectories.messages import _printed
from opentine_gui.importers.json_lines import read_lines
from opentine_gui.importers.reading import Report
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources import archives, packed
from opentine_gui.importers.sources.content import Call, Content, content_of, element, without_elements
from opentine_gui.importers.sources.fields import unix_time
from opentine_gui.importers.sources.line import Line
from opentine_gui.importers.sources.origin import shown_path
from tests.growth import is_squared


def test_a_member_of_an_archive_that_ends_before_it_begins_ends_the_list() -> None:
    header = bytearray(512)
    header[:1], header[124:129], header[257:262] = b"a", b"-1000", b"ustar"
    assert archives.names_in(bytes(header)) == [b"a"]


def test_what_an_archive_is_packed_with_cannot_raise_an_error_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("a.json", b"{}" * 100)
    content = bytearray(buffer.getvalue())
    body = content.index(b"a.json") + 6
    content[body + 9 : body + 20] = b"\xff" * 11
    path.write_bytes(content)
    with pytest.raises(FormatError, match="damaged"), archives.opened(path) as members:
        members[0].read()


def test_a_member_that_promises_gigabytes_takes_no_more_memory_than_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("a.json", b"{}" * 100)
    content = bytearray(path.read_bytes())
    entry = content.index(b"PK\x01\x02")
    content[entry + 10 : entry + 12] = archives.ZSTD_METHOD.to_bytes(2, "little")
    content[entry + 20 : entry + 24] = (1 << 30).to_bytes(4, "little")
    path.write_bytes(content)
    with archives.opened(path) as members:
        tracemalloc.start()
        try:
            with pytest.raises(FormatError, match="damaged"):
                members[0].read()
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
        finally:
            tracemalloc.stop()


def test_a_tar_that_is_packed_twice_is_not_unpacked_past_the_limit(tmp_path: Path) -> None:
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as made:
        made.addfile(tarfile.TarInfo("a"))
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(compress(tar.getvalue())))
    with pytest.raises(FormatError, match="damaged"), archives.opened(path):
        pass


@pytest.mark.parametrize("value", ["²" * 17, " " * 30 + "1" * 17, "١" * 17, "9" * 39, " 1700000000000000000 "])
def test_digits_of_any_alphabet_are_a_time_or_none(value: str) -> None:
    found = unix_time(value)
    assert found is None or found > 0


def test_calls_that_are_no_list_are_none() -> None:
    assert content_of({"role": "assistant", "content": "said", "tool_calls": 5}).calls == []


def test_two_records_of_one_name_are_an_error_of_ours(tmp_path: Path) -> None:
    common = {"traceId": "t", "startTimeUnixNano": "1", "endTimeUnixNano": "2"}

    def span(name: str, parent: str, operation: str) -> dict[str, object]:
        attributes = [{"key": "gen_ai.operation.name", "value": {"stringValue": operation}}]
        return {**common, "spanId": name, "parentSpanId": parent, "attributes": attributes}

    spans = [span("a", "", "execute_tool"), span("b", "a", "chat"), span("a agent", "", "chat")]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    with pytest.raises(FormatError, match="two records"):
        readers.read_run(path)


def test_nesting_that_only_the_decoder_bears_is_an_error_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object, **__: object) -> None:
        raise RecursionError

    path = tmp_path / "a.json"
    path.write_text('{"resourceSpans": []}')
    row = readers.reader_for(path)._replace(read=read, parts=read)
    monkeypatch.setattr(readers, "reader_for", lambda _path: row)
    for look in (readers.read_run, readers.parts_of):
        with pytest.raises(FormatError, match="nested too deeply"):
            look(path)


def test_records_on_one_line_stand_where_they_stand_whatever_is_around_them() -> None:
    line = b'{"a": "\xff\xe2\x82 \xc3\xa9"}\xc2\xa0 {"b": "\xff"}{"c": 1}\n'
    found = list(read_lines(Path("x"), line, Report()))
    assert [line[place.offset : place.offset + place.length] for _, place in found] == [
        b'{"a": "\xff\xe2\x82 \xc3\xa9"}',
        b'{"b": "\xff"}',
        b'{"c": 1}',
    ]
    assert [value for value, _ in found] == [{"a": "\ufffd\ufffd \xe9"}, {"b": "\ufffd"}, {"c": 1}]


def test_frames_one_after_the_other_are_one_source() -> None:
    zstd = zstd_module()
    parts = [b"", b"a" * 5000, b"b", bytes(range(256)) * 3000]
    content = b"".join(zstd.compress(part) for part in parts)
    assert packed._unpacked(content, 1 << 30) == b"".join(parts)
    assert b"".join(parts).startswith(packed._unpacked(content[:-1], 1 << 30))
    assert packed._unpacked(content + b"no frame", 1 << 30) == b"".join(parts)


@pytest.mark.parametrize(
    ("text", "found", "rest"),
    [
        ("a <x> b\n</x> c", " b\n", "a  c"),
        ("<x>a</x><x>b</x>", "a", ""),
        ("<x>a<x>b</x>c</x>", "a<x>b", "c</x>"),
        ("<x>a", None, "<x>a"),
        ("</x><x>", None, "</x><x>"),
    ],
)
def test_an_element_ends_at_its_first_end(text: str, found: str | None, rest: str) -> None:
    assert element(text, "x") == found
    assert without_elements(text, "x") == rest


def test_a_folder_of_a_user_who_is_not_there_is_no_error() -> None:
    nobody = "~nobody-of-this-name"
    places = Places({"CODEX_HOME": f"{nobody}/x", "PI_CODING_AGENT_SESSION_DIR": f"{nobody}/y"}, Path())
    folders = [folder for agent in AGENTS for folder in agent.folders(places)]
    assert Path(f"{nobody}/x/sessions") in folders


def test_a_run_is_read_without_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(_path: str) -> str:
        return "~"

    monkeypatch.setattr("os.path.expanduser", nowhere)
    assert shown_path(tmp_path / "a.json") == str(tmp_path / "a.json")


def elements_without_an_end(count: int) -> object:
    text = "<x>" * count
    return element(text, "x"), without_elements(text, "x")


def elements_of_spaces(count: int) -> object:
    return tag("<x>" + " " * count, "x"), tag("<x>" + " " * count + "</x>", "x")


def outputs_without_an_end(count: int) -> object:
    return _printed("<returncode>0</returncode>" + "<output>" * count, {})


def requests_on_requests(count: int) -> object:
    lines = []
    for number in range(count // 16):
        base = f"q{number - 1}" if number else None
        lines += [
            {"type": "api-request", "id": f"q{number}", "base": base, "keep": 2 * number, "tail": [f"u{number}", "a"]},
            {"type": "assistant", "uuid": f"x{number}", "requestRef": f"q{number}", "message": {"content": []}},
        ]
    found = requests._collect(Path("x"), b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    return requests._put_together(found, f"q{count // 16 - 1}")


def frames(count: int) -> object:
    return packed._unpacked(zstd_module().compress(b"") * count, 1 << 30)


def glued(count: int) -> object:
    return list(read_lines(Path("x"), b"{}" * count + b"\n", Report()))


def calls_of_one_answer(count: int) -> object:
    line = Line(RunDraft())
    line.answer(Content(calls=[Call("a", {}, str(number)) for number in range(count)]))
    for number in reversed(range(count)):
        line.result(str(number), {})
    return line


def names_of_one_attribute(count: int) -> object:
    return numbered({f"a.0.b{number}.c": 1 for number in range(count)}, "a")


def responses_in_a_row(count: int) -> object:
    events = [
        Event({"kind": "ActionEvent", "id": f"{number}", "llm_response_id": f"r{number}", "tool_call_id": "c"}, None)
        for number in range(count)
    ]
    tree = Tree(Conversation("a", {}, {}, events), RunDraft(), Pace())
    tree.grow()
    return tree


@pytest.mark.parametrize(
    "work",
    [
        frames,
        glued,
        calls_of_one_answer,
        names_of_one_attribute,
        responses_in_a_row,
        elements_without_an_end,
        elements_of_spaces,
        outputs_without_an_end,
        requests_on_requests,
    ],
)
def test_the_time_follows_the_length(work: Callable[[int], object]) -> None:
    assert not is_squared(work, 1_000)
