"""The page in a real browser: it opens from a file, asks for nothing, shows payloads, and hostile text stays text."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from opentine_gui.core import Graph, RunRecord, Step, StepKind, step_id
from opentine_gui.export import export, request_of
from opentine_gui.export.content import Content
from opentine_gui.export.page import LONGEST_TEXT, MOST_ITEMS, block
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.theme import LIGHT
from tests.conftest import MakeRun, named
from tests.export.browser import Browser, chromium
from tests.export.conftest import NAMES, answered_twice
from tests.export.hostile import ATTACKS, FILES, hostile_pair, hostile_run
from tests.export.hostile import NAMES as HOSTILE_NAMES

SIZE = (1400, 900)
BOX = """(() => {{ const r = document.querySelector('[data-step="{0}"] .ring').getBoundingClientRect();
                  return [r.x + r.width / 2, r.y + r.height / 2]; }})()"""

MIDDLE = """(() => { const r = document.getElementById('graph').getBoundingClientRect();
                     return [r.x + r.width / 2, r.y + r.height / 2]; })()"""
BOXES = "document.querySelector('#view path[fill]:not([fill=none])').getAttribute('d').split('M').length - 1"
HANDLED = """[...document.querySelectorAll('*')].some((element) =>
    [...element.attributes].some((attribute) => attribute.name.startsWith('on')))"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        found.resize(*SIZE)
        found.calm()
        yield found


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Callable[[bytes, str], Path]:
    """Write an export and open it; what the browser noted before is forgotten."""

    def open_(data: bytes, ending: str = "html") -> Path:
        path = tmp_path / f"exported.{ending}"
        path.write_bytes(data)
        browser.requests.clear()
        browser.errors.clear()
        browser.open(path)
        return path

    return open_


def quiet(browser: Browser, path: Path) -> bool:
    """Whether the page asked for itself alone, and nothing went wrong."""
    return browser.requests == [path.as_uri()] and browser.errors == []


def side(browser: Browser) -> str:
    """What the inspector says."""
    text: str = browser.run("document.getElementById('side').innerText")
    return text


def click_step(browser: Browser, number: int) -> None:
    browser.click(*browser.run(BOX.format(number)))


# -- without a browser ----------------------------------------------------------------------------------------------


def test_the_policy_names_the_one_script_and_the_one_style(research: RunRecord) -> None:
    page = export(request_of([research]), "html").decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert page.index("<meta charset") < page.index("Content-Security-Policy") < page.index("<style")
    for name, kind in (("script", "script"), ("style", "style")):
        (body,) = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy[1]
    for words in ("default-src 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"):
        assert words in policy[1]
    assert "unsafe" not in policy[1]


@pytest.mark.parametrize("value", [*ATTACKS, "<!--<script>", "\u2028", {"</script>": ["&lt;"]}, "\ud800"])
def test_no_text_can_end_the_data_block(value: Any) -> None:
    text = block(value)
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text) == value


def test_recorded_text_is_nowhere_but_in_the_data_block() -> None:
    pair = hostile_pair()
    page = export(request_of(pair, compared=True, names=HOSTILE_NAMES, files=FILES), "html").decode()
    plain = export(request_of([hostile_run(("harmless",) * 3)]), "html").decode()
    cut = re.compile(r'(<script type="application/json" id="data">)[^<]*(</script>)')
    assert cut.sub(r"\1\2", page) == cut.sub(r"\1\2", plain)


def test_long_wide_and_deep_payloads_are_cut_and_say_so() -> None:
    deep: Any = "bottom"
    for _ in range(80):
        deep = {"down": deep}
    inputs = {"long": "x" * (LONGEST_TEXT + 7), "wide": list(range(MOST_ITEMS + 3)), "deep": deep, "big": 2**70}
    identity = step_id(StepKind.MODEL, inputs)
    run = RunRecord(run_id="r", graph=Graph.of([Step(id=identity, parent_ids=(), kind=StepKind.MODEL, inputs=inputs)]))
    page = export(request_of([run]), "html").decode()
    data = json.loads(re.findall(r'id="data">([^<]*)<', page)[0])
    (section,) = data["steps"][0]["payload"]
    members = dict(section[1]["k"])
    assert members["long"]["m"] == "7"
    assert (members["wide"]["m"], len(members["wide"]["i"])) == ("3", MOST_ITEMS)
    assert "nested deeper" in json.dumps(members["deep"])
    assert members["big"] == {"v": str(2**70)}


def test_payloads_beyond_what_a_page_can_hold_are_left_out_with_a_word(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opentine_gui.export.page.MOST_TEXT", 30)
    page = export(request_of([make_run({"a": "", "b": "a", "c": "b"})]), "html").decode()
    data = json.loads(re.findall(r'id="data">([^<]*)<', page)[0])
    assert "Inputs" in [name for name, _ in data["steps"][0]["payload"]]
    assert data["steps"][2]["payload"][0][1]["v"].startswith("left out")


# -- in a browser ---------------------------------------------------------------------------------------------------


def test_a_click_on_a_step_shows_its_payload(
    browser: Browser, opened: Callable[..., Path], research: RunRecord, retry: RunRecord
) -> None:
    request = request_of([research, retry], compared=True, names=NAMES)
    path = opened(export(request, "html"))
    assert browser.run("document.title") == "research-01 and retry-01"
    assert "the two runs do different work" in browser.run("document.getElementById('heading').innerText")
    assert "−$0.0273" in side(browser)
    number = json.loads(browser.run("JSON.stringify(JSON.parse(document.getElementById('data').textContent).start)"))
    click_step(browser, number[1])
    said = side(browser)
    assert "Use the PDF mirror instead. I will read section 4 and nothing else." in said
    assert retry.graph.resolve("f75f39bb") in said
    assert "They part here: 1 of 2" in said
    click_step(browser, number[0])
    assert "404 Not Found" in side(browser)
    assert quiet(browser, path)


def test_the_table_of_a_comparison_has_the_colours_of_the_window(research: RunRecord, retry: RunRecord) -> None:
    page = export(request_of([research, retry], compared=True), "html").decode()
    rows = {
        row[0]: row[4:] for row in json.loads(page.split('id="data">')[1].split("</script>")[0])["overview"]["table"]
    }
    assert rows["Outcome"] == ["says-bad", "says-good", ""]
    assert rows["Tokens"] == ["", "", "says-good"]
    assert rows["Steps"] == ["", "", ""]
    for name in {name for row in rows.values() for name in row if name}:
        assert f".{name} {{ color: #" in page


def test_long_titles_push_no_column_of_a_comparison_off_the_panel(
    browser: Browser, opened: Callable[..., Path], research: RunRecord, retry: RunRecord
) -> None:
    names = ("NON-INTERACTIVE: edit the files now and do not ask for it", "x" * 60)
    opened(export(request_of([research, retry], compared=True, names=names), "html"))
    aside = "document.querySelector('aside')"
    wide, room = browser.run(f"[{aside}.scrollWidth, {aside}.clientWidth]")
    assert wide <= room, "nothing is scrolled to sideways"
    heads = "[...document.querySelectorAll('aside tr:first-child th')]"
    label, a, b, delta = browser.run(f"{heads}.map((head) => head.getBoundingClientRect().width)")
    assert a == pytest.approx(b, abs=1) and b == pytest.approx(delta, abs=1) and label > 50
    assert browser.run(f"{heads}.map((head) => head.title)")[1:3] == [f"A {names[0]}", f"B {names[1]}"]
    cells = "[...document.querySelectorAll('aside td')]"
    assert browser.run(f"Math.max(...{cells}.map((cell) => cell.scrollWidth - cell.clientWidth))") <= 0


def test_hands_move_the_view(browser: Browser, opened: Callable[..., Path], make_run: MakeRun) -> None:
    path = opened(export(request_of([make_run({"a": "", "b": "a", "c": "b"})]), "html"))
    before = browser.run(BOX.format(1))
    browser.drag((80, 300), (180, 350))
    after = browser.run(BOX.format(1))
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((100, 50), abs=2)
    assert "Overview" in side(browser)
    browser.wheel(*after, -400)
    grown = browser.run(BOX.format(1))
    assert grown == pytest.approx(after, abs=2)
    assert browser.run("document.getElementById('zoom').textContent") != "100 %"
    assert quiet(browser, path)


def test_the_keyboard_reaches_everything(browser: Browser, opened: Callable[..., Path], make_run: MakeRun) -> None:
    run = make_run({"start": "", "left": "start", "xright": "start", "end": "left xright"})
    path = opened(export(request_of([run]), "html"))
    browser.key("ArrowDown")
    assert browser.run("document.activeElement.getAttribute('aria-label')").startswith("think, start")
    browser.key("ArrowDown")
    assert "left" in side(browser)
    browser.key("n")
    assert "xright failed" in side(browser)
    assert browser.run("document.activeElement.dataset.step") == "2"
    assert "xright" in browser.run("document.getElementById('said').textContent")
    browser.key("ArrowDown")
    assert named(run, "end") in side(browser)
    browser.key("Escape")
    assert "Overview" in side(browser)
    browser.key("/")
    for letter in "left":
        browser.key(letter)
    assert browser.run("document.activeElement.id") == "find"
    assert "1 step" in side(browser)
    browser.run("document.querySelector('#side button').click()")
    browser.key("Escape")
    browser.key("0")
    assert quiet(browser, path)


def test_failures_are_gone_through_with_the_keys_of_the_window(
    browser: Browser, opened: Callable[..., Path], make_run: MakeRun
) -> None:
    run = make_run({"start": "", "xone": "start", "more": "xone", "xtwo": "more"})
    opened(export(request_of([run]), "html"))
    assert "N and Shift+N go to the next and the previous failure" in side(browser)
    for key, shown in (("n", "xone"), ("n", "xtwo"), ("Shift+N", "xone"), ("b", "xone"), ("Shift+N", "xtwo")):
        browser.key(key)
        assert f"{shown} failed" in side(browser), key


def test_from_afar_every_step_is_a_box_and_a_click_finds_it(
    browser: Browser, opened: Callable[..., Path], make_run: MakeRun
) -> None:
    count = 400
    run = make_run({str(number): str(number - 1) if number else "" for number in range(count)})
    path = opened(export(request_of([run]), "html"))
    near = browser.run("document.querySelectorAll('.step').length")
    assert 0 < near < 40
    browser.key("0")
    assert browser.run("document.querySelectorAll('.step').length") == 0
    assert browser.run(BOXES) == count
    browser.click(*browser.run(MIDDLE))
    assert "Id" in side(browser)
    assert 0 < browser.run("document.querySelectorAll('.step').length") < 40
    assert quiet(browser, path)


@pytest.mark.parametrize("compared", [False, True])
def test_a_hostile_run_changes_nothing(browser: Browser, opened: Callable[..., Path], compared: bool) -> None:
    pair = hostile_pair()
    request = request_of(pair, compared=True, names=HOSTILE_NAMES) if compared else request_of([pair[0]])
    path = opened(export(request, "html"))
    tags = browser.run("[...new Set([...document.querySelectorAll('*')].map((e) => e.localName))].sort().join()")
    count = browser.run("JSON.parse(document.getElementById('data').textContent).steps.length")
    assert count >= len(ATTACKS)
    for _ in range(count):
        browser.key("ArrowDown")
        browser.key("n")
    for number in range(count):
        browser.run(f"document.querySelector('[data-step=\"{number}\"]')?.dispatchEvent(new Event('focusin'))")
    browser.key("Home")
    browser.key("n")
    assert "window.hacked" in browser.run("document.getElementById('data').textContent")
    assert browser.run("window.hacked") is None
    assert browser.run("document.querySelectorAll('img, iframe, object, a, form, embed').length") == 0
    assert browser.run("document.scripts.length") == 2
    assert browser.run(HANDLED) is False
    known = set(f"{tags},button,details,summary,mark,dl,dt,dd,table,tr,td,th,ul,li,h3,div,span,p".split(","))
    now = browser.run("[...new Set([...document.querySelectorAll('*')].map((e) => e.localName))].join()")
    assert set(now.split(",")) <= known
    assert quiet(browser, path)


def test_the_payload_of_every_hostile_step_is_shown_as_it_is(browser: Browser, opened: Callable[..., Path]) -> None:
    run = hostile_run()
    path = opened(export(request_of([run]), "html"))
    browser.run("document.getElementById('find').focus()")
    for step in run.graph:
        browser.run(
            f"(() => {{ const f = document.getElementById('find'); f.value = '{step.id}';"
            "f.dispatchEvent(new Event('input')); document.querySelector('#side button').click(); f.value = '';"
            "f.dispatchEvent(new Event('input')); })()"
        )
        content = browser.run("document.getElementById('side').textContent")
        assert clean(step.inputs["text"], LONGEST_TEXT, lines=True) in content
    assert browser.run("window.hacked") is None
    assert quiet(browser, path)


@pytest.mark.parametrize("card", [False, True])
def test_an_svg_opens_in_the_browser_as_the_picture_the_png_is(
    browser: Browser, opened: Callable[..., Path], make_run: MakeRun, card: bool
) -> None:
    pair = (make_run({"a": "", "b": "a"}), make_run({"a": "", "c": "a"}))
    request = request_of(pair, compared=True, theme=LIGHT, card=card)
    path = opened(export(request, "svg"), "svg")
    png = Image.open(io.BytesIO(export(request, "png"))).convert("L")
    seen = Image.open(io.BytesIO(browser.picture())).convert("L").crop((0, 0, *png.size))
    width, height = min(png.width, SIZE[0]), min(png.height, SIZE[1])
    small = [
        picture.crop((0, 0, width, height)).resize((width // 16, height // 16), Image.Resampling.BOX).tobytes()
        for picture in (png, seen)
    ]
    apart = [abs(one - two) for one, two in zip(*small, strict=True)]
    assert sum(apart) / len(apart) < 3
    assert quiet(browser, path)


def test_a_hostile_svg_runs_nothing(browser: Browser, opened: Callable[..., Path]) -> None:
    path = opened(export(request_of(hostile_pair(), compared=True, names=HOSTILE_NAMES), "svg"), "svg")
    assert browser.run("window.hacked") is None
    assert browser.run("document.querySelectorAll('script, image, a, foreignObject, style').length") == 0
    assert quiet(browser, path)


def test_drift_twins_lie_in_one_place_and_a_click_or_a_key_brings_each_to_the_front(
    browser: Browser, opened: Callable[[bytes, str], Path]
) -> None:
    request = request_of(answered_twice(), compared=True)
    content = Content(request)
    (stack,) = set(content.stacks.values())
    back, front = (content.number[content.graph.index(twin)] for twin in stack)
    path = opened(export(request, "html"), "html")
    order = "[...document.querySelectorAll('[data-step]')].map((card) => Number(card.dataset.step))"
    assert browser.run(order).index(back) < browser.run(order).index(front)
    one, two = (browser.run(BOX.format(number)) for number in (back, front))
    assert abs(one[0] - two[0]) < 20
    assert 40 < two[1] - one[1] < 60
    browser.click(one[0], one[1] - 25)
    assert "Yes, in full" in side(browser)
    assert browser.run(order)[-1] == back
    browser.key("ArrowRight")
    assert "No, it was opened" in side(browser)
    assert browser.run(order)[-1] == front
    browser.key("Escape")
    assert browser.run(order) == list(range(len(content)))
    assert quiet(browser, path)
