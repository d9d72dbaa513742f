"""The attack's own tools: they see every call, and would notice a broken promise."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from opentine_gui.core import decode, encode
from opentine_gui.core.structure.cards import Cards
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.failures.reason import failure_reason
from opentine_gui.describe.groups.group_title import group_title
from opentine_gui.describe.markdown import escaped
from opentine_gui.importers import readers
from opentine_gui.scene.text.clean import clean
from tests.attack.__main__ import STOPPED
from tests.attack.campaign import Campaign, in_short
from tests.attack.children import attack_in_children
from tests.attack.disk import kills, workloads
from tests.attack.disk.system_calls import KILL, can_watch, watch
from tests.attack.disk.workloads import NEW_BYTES, OLD_BYTES, Workload
from tests.attack.exits.hostile_text import hidden, live_markdown
from tests.attack.files import mutations
from tests.attack.files.mutations import mutated
from tests.attack.slow import saying_sessions, told_run
from tests.attack.slow.beginnings import BEGINNINGS, beginnings
from tests.attack.slow.graphs import SEEDS, file_of, size_of
from tests.attack.slow.large_graphs import parents_of
from tests.attack.slow.texts import Genome
from tests.attack.slow.told_run import PIECE
from tests.attack.window.soak import judge, judge_memory
from tests.conftest import run_of

needs_watching = pytest.mark.skipif(not sys.platform.startswith("linux") or not can_watch(), reason="needs seccomp")


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Let Ctrl+C reach the tests also where a shell starts them in the background: it has programs there ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def writing(path: Path) -> Callable[[], Callable[[], str]]:
    def work() -> str:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
        try:
            os.write(descriptor, b"whole")
        except OSError as error:
            return errno.errorcode[error.errno or 0]
        finally:
            os.close(descriptor)
        return "written"

    return lambda: work


@needs_watching
def test_every_call_on_a_file_is_seen_and_may_pass_fail_or_be_the_last(tmp_path: Path) -> None:
    path = tmp_path / "file"
    ended = watch(writing(path), lambda _number, _name: 0)
    assert ended == ("written", ("openat", "write", "close"))
    assert path.read_bytes() == b"whole"
    path.unlink()
    assert watch(writing(path), lambda number, _name: errno.ENOSPC if number == 1 else 0).said == "ENOSPC"
    assert watch(writing(path), lambda _number, name: KILL if name == "write" else 0).said is None
    assert path.read_bytes() == b""


@needs_watching
def test_a_save_that_writes_in_place_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ready(folder: Path) -> Callable[[], str]:
        (folder / "run.tine").write_bytes(OLD_BYTES)

        def work() -> str:
            with (folder / "run.tine").open("wb", buffering=0) as file:
                file.write(NEW_BYTES[:1000])
                file.write(NEW_BYTES[1000:])
            return "saved"

        return work

    def check(folder: Path, said: str | None) -> str:
        return workloads._content_check(folder, said, OLD_BYTES, NEW_BYTES)

    monkeypatch.setattr(kills, "WORKLOADS", (Workload("in place", ready, check),))
    campaign = Campaign(tmp_path, seed=1, full=0)
    kills.run(campaign)
    assert [finding for finding in campaign.findings if "torn: 1,000 bytes" in finding]


def test_the_same_seed_takes_the_same_order(tmp_path: Path) -> None:
    orders = [list(Campaign(tmp_path, seed, full=0).shuffled(range(50))) for seed in (7, 7, 8)]
    assert orders[0] == orders[1] != orders[2]


def test_a_traceback_is_told_by_its_last_line_and_its_last_place_of_ours() -> None:
    trace = (
        'Traceback:\n  File "/x/opentine_gui/core/run.py", line 3, in work\n  File "/lib/os.py", line 1\nOSError: no\n'
    )
    assert in_short(trace) == "OSError: no (/core/run.py, line 3, in work)"


def test_a_try_that_raises_dies_or_stalls_is_a_finding_and_the_others_go_on(tmp_path: Path) -> None:
    def one(number: int) -> list[str]:
        if number == 3:
            raise KeyError("lost")
        if number == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        while number == 7:
            pass
        return ["odd"] if number == 9 else []

    campaign = Campaign(tmp_path, seed=1, full=12)
    attack_in_children(campaign, one, 12, longest=0.3)
    assert campaign.tries == 12
    assert sorted(campaign.findings) == [
        "KeyError: 'lost' () [try 3]",
        "odd [try 9]",
        "stalled: over 0 s of CPU [try 7]",
        "the process died of SIGKILL [try 5]",
    ]


def test_the_same_number_mutates_a_file_in_the_same_way() -> None:
    data = encode(run_of({"a": "", "b": "a"}))
    made = [[mutated(data, Random(f"1 {number}")) for number in range(60)] for _ in range(2)]
    assert made[0] == made[1]
    assert len(set(made[0])) > 50


def test_mutations_leave_what_they_put_into_files_as_it_is() -> None:
    """Hostile values that were changed in their places once held themselves, after some 15,000 files."""
    before = repr(mutations.HOSTILE_VALUES)
    data = encode(run_of({"a": "", "b": "a"}))
    for number in range(500):
        mutated(data, Random(number))
    assert repr(mutations.HOSTILE_VALUES) == before


def test_values_that_nest_deeply_are_mutated_too() -> None:
    deep: object = "end"
    for _ in range(900):
        deep = [deep]
    data = encode(run_of({"a": ""}))
    document = json.loads(data) | {"metadata": {"deep": deep, "other": deep}}
    for number in range(200):
        mutated(json.dumps(document).encode(), Random(number))


def test_a_shape_becomes_a_file_of_about_the_size_asked_for() -> None:
    for shape in SEEDS:
        data = file_of(shape, 20_000)
        assert 8_000 < len(data) < 24_000
        decode(data)


def test_the_graph_of_a_large_file_nearly_fills_it() -> None:
    for shape in SEEDS:
        parents = parents_of(shape, 200_000, 20_000)
        size, links = size_of([list(own) for own in parents]), sum(map(len, parents))
        assert size <= 200_000 and links <= 20_000
        assert size > 150_000 or links > 15_000, shape


@pytest.mark.parametrize("text", ["\x1b[1m", "a\u202eb", "\u200b", "\x90", "a" + "\u0300" * 9, "\U000e0041"])
def test_text_that_steers_or_hides_is_noticed(text: str) -> None:
    assert hidden(text)
    assert not hidden(clean(text, 100))


def test_markdown_that_would_fetch_something_is_noticed_unless_it_is_code() -> None:
    assert live_markdown("a ![x](http://127.0.0.1/x.png)")
    assert live_markdown("<script>")
    assert not live_markdown("`![x](http://127.0.0.1/x.png)` and\n```\n<script>\n```\n")
    assert not live_markdown(escaped("![x](http://127.0.0.1/x.png) <script>"))


def test_a_text_reaches_reasons_of_failures_and_titles_of_groups() -> None:
    text = "Error: needle\n" * PIECE
    graph = told_run.failures(text)
    assert sum("needle" in failure_reason(graph, position) for position in range(len(graph))) >= len(graph) // 2
    structure = Structure(told_run.groups(text))
    cards = Cards(structure.lanes, range(len(structure.graph)))
    titles = [group_title(structure, card, list(cards.steps(card)))[0] for card in cards.cards]
    assert sum("needle" in title for title in titles) >= 6


def test_a_text_reaches_sessions_of_other_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, read = readers.read_source, list[bytes]()
    monkeypatch.setattr(readers, "read_source", lambda path: read.append(encode(whole(path).record)))
    targets = saying_sessions.targets()
    assert len(targets) >= 7
    read.clear()
    for target in targets.values():
        target("needle " * 100)
    assert len(read) == len(targets) and all(b"needle needle" in record for record in read)


def test_a_text_that_begins_something_goes_on_and_never_ends_it() -> None:
    made = [Genome(*parts).text(1_000) for parts in beginnings(Random(1))]
    assert len(made) >= 3 * len(BEGINNINGS) and {len(text) for text in made} == {1_000}
    assert any(text.startswith(("[a](" + "a" * 50, "[a](" + " " * 50)) for text in made)


def test_a_soak_that_grows_or_stalls_is_found_out(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, seed=1, full=0)
    said = {"tries": 5000, "internal": ["x"], "slow": [[0.2, "fork"]], "memory": [100.0, 200.0, 300.0]}
    judge(campaign, said | {"tries": 4000})
    judge(campaign, said)
    judge_memory(campaign, said)
    assert (len(campaign.findings), campaign.found_more, campaign.tries) == (3, 0, 5000)


def test_a_campaign_says_what_it_finds_at_once_and_now_and_then_how_far_it_is(tmp_path: Path) -> None:
    told: list[str] = []
    campaign = Campaign(tmp_path, seed=1, full=3, tell=told.append)
    for number in campaign.numbers():
        campaign.found(f"torn {number}")
    assert told == ["found: torn 0", "found: torn 1", "found: torn 2"]
    campaign.said_every = 0.0
    for _ in campaign.shuffled("ab"):
        pass
    attack_in_children(campaign, lambda _number: [], 1)
    told = [line.partition(" s: ")[2] for line in told[3:]]
    assert told[:2] == ["0 of 2 tries, 3 findings", "1 of 2 tries, 3 findings"]
    assert "1 of 1 tries, 3 findings" in told


def test_a_stopped_campaign_ends_its_tries_and_keeps_their_number(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, seed=1, full=100)
    for number in campaign.numbers():
        if number == 4:
            campaign.stop()
    attack_in_children(campaign, lambda _number: [], 10**9)
    assert list(campaign.shuffled(range(10))) == []
    assert 5 <= campaign.tries < 10**9


def test_tries_in_children_count_when_they_are_broken_off(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, seed=1, full=0, tell=lambda _line: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        attack_in_children(campaign, lambda number: ["odd"] if number == 3 else [], 10**9)
    assert 4 <= campaign.tries < 10**9


def test_an_attack_that_is_interrupted_prints_the_table_of_what_it_did(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.attack", "--only", "flips", "--only", "importers", "--every", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as attack:
        assert attack.stderr is not None
        first = attack.stderr.readline()
        attack.send_signal(signal.SIGINT)
        said, _ = attack.communicate()
    assert first.startswith("flips: ") and first.endswith(" of 100,000 tries, 0 findings\n")
    row = [line for line in said.splitlines() if line.startswith("| flips | ")]
    assert attack.returncode == STOPPED and len(row) == 1
    assert 0 <= int(row[0].split(" | ")[1].replace(",", "")) < 100_000
    assert "importers" not in said
