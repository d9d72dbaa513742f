"""Mermaid itself, in a real browser, draws what we write: every step, no error, no request, no recorded text as markup.

The program is had once through npm, into the build folder; where npm or the network is missing these tests are skipped
and say so.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.core import RunRecord
from opentine_gui.export import export, request_of
from opentine_gui.export.content import Content
from tests.export.browser import Browser, chromium
from tests.export.conftest import NAMES, answered_twice
from tests.export.hostile import hostile_pair, hostile_run

NPM = shutil.which("npm")
VERSION = "11.4.1"
DIGEST = "a43bc1afd446f9c4cc66ac5dd45d02e8d65e26fc5344ec0ef787f88d6ddb6f9e"
MEMBER = "package/dist/mermaid.min.js"
KEPT = Path(__file__).parents[2] / "build" / "mermaid" / f"mermaid-{VERSION}.min.js"
PAGE = """<!DOCTYPE html><meta charset="utf-8"><body><pre id="graph"></pre>
<script src="{script}"></script>
<script type="application/json" id="text">{text}</script>
<script>
  const graph = document.getElementById("graph");
  graph.textContent = JSON.parse(document.getElementById("text").textContent);
  mermaid.initialize({{ startOnLoad: false, maxEdges: 5000, maxTextSize: 1000000 }});
  window.drawn = mermaid.run({{ nodes: [graph] }}).then(() => "drawn", (error) => String(error && error.message));
</script>"""
LABELS = "[...document.querySelectorAll('#graph g.node .nodeLabel')].map((label) => label.innerText)"
LINKS = "document.querySelectorAll('#graph .flowchart-link, #graph .edgePaths > path').length"
FRAMES = "[...document.querySelectorAll('#graph g.cluster .nodeLabel')].map((label) => label.innerText)"
ALIVE = "document.querySelectorAll('#graph script, #graph img, #graph iframe, #graph a').length"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Mermaid as one file, whose content is known."""
    if not KEPT.exists():
        if NPM is None:
            pytest.skip("npm is not installed, and Mermaid comes through it")
        folder = tmp_path_factory.mktemp("npm")
        words = [NPM, "pack", "--silent", f"mermaid@{VERSION}", "--pack-destination", str(folder)]
        answer = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=180, check=False)
        archives = list(folder.glob("*.tgz"))
        if answer.returncode or not archives:
            pytest.skip(f"npm could not get Mermaid: {answer.stderr.strip()[-200:]}")
        with tarfile.open(archives[0]) as archive:
            member = archive.extractfile(MEMBER)
            assert member is not None
            KEPT.parent.mkdir(parents=True, exist_ok=True)
            KEPT.write_bytes(member.read())
    if hashlib.sha256(KEPT.read_bytes()).hexdigest() != DIGEST:
        KEPT.unlink()
        pytest.fail("this is not the Mermaid it should be; it was taken away again")
    return KEPT


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        found.resize(1400, 1600)
        yield found


@pytest.fixture
def drawn(browser: Browser, program: Path, tmp_path: Path) -> Callable[[bytes], Browser]:
    """Have a flowchart drawn; fails when Mermaid refuses it, throws, or asks for anything but itself."""

    def draw(flowchart: bytes) -> Browser:
        text = json.dumps(flowchart.decode()).replace("<", "\\u003c").replace("&", "\\u0026")
        page = tmp_path / "page.html"
        page.write_text(PAGE.format(script=program.as_uri(), text=text), encoding="utf-8")
        browser.requests.clear()
        browser.errors.clear()
        browser.open(page)
        assert browser.run("window.drawn") == "drawn"
        assert browser.errors == []
        assert [name for name in browser.requests if not name.startswith("data:")] == [page.as_uri(), program.as_uri()]
        return browser

    return draw


def titles(request: Any) -> list[str]:
    content = Content(request)
    return [content.face(number).title for number in range(len(content))]


def test_a_comparison_is_drawn_whole(drawn: Callable[[bytes], Browser], research: RunRecord, retry: RunRecord) -> None:
    request = request_of([research, retry], compared=True, names=NAMES)
    page = drawn(export(request, "mermaid"))
    labels, content = page.run(LABELS), Content(request)
    assert len(labels) == len(content) == 32
    assert page.run(LINKS) == len(content.links)
    assert sorted(label.split("\n")[0][:20] for label in labels) == sorted(name[:20] for name in titles(request))
    assert sum("they part here: 1" in label for label in labels) == 2


def test_drift_twins_stand_in_one_frame(drawn: Callable[[bytes], Browser]) -> None:
    page = drawn(export(request_of(answered_twice(), compared=True), "mermaid"))
    assert page.run(FRAMES) == ["same request, 2 outcomes"]


def test_hostile_runs_stay_text(drawn: Callable[[bytes], Browser]) -> None:
    for request in (request_of([hostile_run()]), request_of(hostile_pair(), compared=True)):
        page = drawn(export(request, "mermaid"))
        assert len(page.run(LABELS)) == len(Content(request))
        assert page.run(ALIVE) == 0
        assert page.run("window.hacked") is None
