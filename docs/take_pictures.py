"""Takes the pictures of the pages in docs/, and those of the README with its animation: `make pictures`.

The window is driven by the tutorial's own replay (tests/ui/journeys/tutorial.py) on a display that is not shown. Parts
can be named: `python -m docs.take_pictures tutorial sessions several viewers`. The text in several scripts needs a font
for Chinese on the machine, such as Debian's fonts-droid-fallback.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent
WIDE, ANIMATED_WIDE = 1200, 1000
COLOURS = 128
SHOWN_MILLISECONDS = 2600
LARGEST_ANIMATION = 3_000_000
ENVIRONMENT = {"LIBGL_ALWAYS_SOFTWARE": "1", "TZ": "UTC"}
PRIVATE = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
RECORDINGS = DOCS.parent / "tests" / "data" / "recordings"
SESSIONS = {
    "claude-code-sub-agents": ("claude-code/2.1.197-f-subagent", "projects/*/*.jsonl"),
    "claude-code-rewinds": ("claude-code/2.1.197-e-rewind", "projects/*/*.jsonl"),
    "codex-back": ("codex/0.169.0-e-backtrack", "sessions/**/*.jsonl"),
    "langgraph-time-travel": ("langgraph/1.2.22-e-timetravel", "checkpoints.sqlite"),
    "opentelemetry": ("otel-genai/1.45.2-b-tools", "traces.jsonl"),
}
"""Picture -> the recording that is opened, by its folder and the first file that fits."""
VIEWERS = {
    "report": "report",
    "traceback": "tests",
    "diff": "edit",
    "terminal": "again",
    "image": "screen",
    "table": "table",
    "log": "log",
    "scripts": "scripts",
}
"""Picture -> the step of tests/gallery.py whose content is shown."""
KEPT_COLOURS = 192
FRAMES_OF_AN_IMAGE = 40
"""Frames after which an image is drawn whole: it comes a slice a frame."""


def file_name(number: int, heading: str) -> str:
    """The name of a section's picture: "3-read-it-in-full.png"."""
    words = "".join(letter if letter.isalnum() else " " for letter in heading.lower()).split()
    return f"{number}-{'-'.join(words)}.png"


def scaled(path: Path, width: int) -> Image.Image:
    """A picture at another width."""
    with Image.open(path) as picture:
        height = round(picture.height * width / picture.width)
        return picture.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)


def quantized(picture: Image.Image) -> Image.Image:
    """A picture in 256 colours: the most frequent ones as they are, and some of all others."""
    counted = sorted(picture.getcolors(picture.width * picture.height) or (), reverse=True)
    kept = [colour for _, colour in counted[:KEPT_COLOURS]]
    others = picture.quantize(256 - KEPT_COLOURS, Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*(part for colour in kept for part in colour), *others][: 3 * 256])
    return picture.quantize(palette=palette, dither=Image.Dither.NONE)


def picture_sessions(folder: Path) -> None:
    """Open a recorded session of each kind in a window of its own, and keep what it shows."""
    (DOCS / "sessions").mkdir(exist_ok=True)
    for name, (recording, pattern) in SESSIONS.items():
        copied = shutil.copytree(RECORDINGS / recording, folder / name)
        source = min(path for path in copied.rglob(pattern) if "subagents" not in path.parts)
        taken = copied / "taken.png"
        words = ("open", "--new-window", str(source), "--screenshot", str(taken))
        subprocess.run((sys.executable, "-m", "opentine_gui", *words), check=True, timeout=120)
        quantized(scaled(taken, WIDE)).save(DOCS / "sessions" / f"{name}.png", optimize=True)


def picture_tutorial(folder: Path) -> None:
    """Replay the tutorial: a picture of each section, and all of them as the README's animation."""
    from tests.ui.journeys.tutorial import replay
    from tests.ui.opened import Opened, copy_of_demo

    opened = Opened(copy_of_demo(folder))
    opened.keyboard.focus()
    taken: list[tuple[str, Path]] = []
    replay(opened, lambda heading: taken.append((heading, opened.picture(folder / f"{len(taken)}.png"))))
    opened.close()
    for number, (heading, path) in enumerate(taken, start=1):
        small = quantized(scaled(path, WIDE))
        small.save(DOCS / "tutorial" / file_name(number, heading), optimize=True)
    frames = [scaled(path, ANIMATED_WIDE).quantize(COLOURS, dither=Image.Dither.NONE) for _, path in taken]
    target = DOCS / "tour.gif"
    frames[0].save(target, save_all=True, append_images=frames[1:], duration=SHOWN_MILLISECONDS, loop=0, optimize=True)
    if target.stat().st_size > LARGEST_ANIMATION:
        raise SystemExit(f"{target} has {target.stat().st_size:,} bytes, more than {LARGEST_ANIMATION:,}")


def picture_several(folder: Path) -> None:
    """Two runs compared, and a family of three: the demo's, and the run they were merged into."""
    from tests.ui.opened import DEMO, Opened, copy_of_demo

    runs = copy_of_demo(folder)
    for path in sorted((DEMO / "merged").glob("*.tine")):
        shutil.copy(path, runs)
    opened = Opened(runs)
    opened.open(runs / "retry-01.tine")
    opened.open(runs / "research-01.tine")
    for name, action in (("comparison", "compare.open"), ("family", "family.open")):
        opened.session.invoke(action)
        opened.until(lambda: opened.document.picture.layout is not None and not opened.session.busy, f"the {name}")
        opened.rest()
        quantized(scaled(opened.picture(folder / "taken.png"), WIDE)).save(DOCS / f"{name}.png", optimize=True)
        opened.open(runs / "evidence.tine")
    opened.close()


def picture_viewers(folder: Path) -> None:
    """Each content that is shown in a way of its own, in the inspector and in the reading view, dark and light."""
    from opentine_gui.core import write
    from tests.gallery import gallery
    from tests.ui.opened import Opened

    record, ids = gallery()
    runs = folder / "importer"
    runs.mkdir()
    write(runs / "gallery.tine", record)
    (DOCS / "viewers").mkdir(exist_ok=True)
    opened = Opened(runs)
    opened.open(runs / "gallery.tine")
    for theme in ("dark", "light"):
        opened.session.view.theme = theme
        for name, work in VIEWERS.items():
            for reading in (False, True):
                opened.session.invoke("select.step", step=ids[work], reveal=True)
                opened.session.view.reading = reading
                opened.rest()
                for _ in range(FRAMES_OF_AN_IMAGE):
                    opened.frame()
                where = "read" if reading else "beside"
                with Image.open(opened.picture(folder / "taken.png")) as picture:
                    small = quantized(picture.convert("RGB"))
                small.save(DOCS / "viewers" / f"{name}-{where}-{theme}.png", optimize=True)
    opened.close()


def picture_loop(folder: Path) -> None:
    """Go from a session to its continuation and their comparison in a window of its own, and keep every station."""
    home, taken = folder / "home", folder / "loop"
    home.mkdir()
    taken.mkdir()
    private = {key: str(home / key.lower()) for key in PRIVATE}
    words = (sys.executable, "-m", "docs.picture_loop", str(taken))
    subprocess.run(words, check=True, timeout=300, env={**os.environ, **private, "HOME": str(home)}, cwd=DOCS.parent)
    for path in sorted(taken.iterdir()):
        quantized(scaled(path, WIDE)).save(DOCS / "sessions" / f"loop-{path.name}", optimize=True)


PARTS = {
    "tutorial": picture_tutorial,
    "sessions": picture_sessions,
    "loop": picture_loop,
    "several": picture_several,
    "viewers": picture_viewers,
}


def main(words: Sequence[str]) -> None:
    """Take the pictures of the parts that are named, or all: each in a process of its own, for it opens a window."""
    from tests.ui.virtual_display import VirtualDisplay

    # The program's own folders lie elsewhere: the window lists what is in the folder of a run.
    temporary = tempfile.TemporaryDirectory
    with temporary() as name, temporary() as own, VirtualDisplay("1440x900x24") as display:
        folder = Path(name)
        os.environ.update(ENVIRONMENT, DISPLAY=display.name, **{key: str(Path(own, key)) for key in PRIVATE})
        if len(words) == 1:
            PARTS[words[0]](folder)
            return
    for part in words or PARTS:
        subprocess.run((sys.executable, "-m", "docs.take_pictures", part), check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
