"""Takes the pictures of docs/TUTORIAL.md and docs/IMPORT.md and the README's animation: `make pictures`.

The window is driven by the tutorial's own replay (tests/ui/tutorial.py) on a display that is not shown.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
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


def file_name(number: int, heading: str) -> str:
    """The name of a section's picture: "3-read-it-in-full.png"."""
    words = "".join(letter if letter.isalnum() else " " for letter in heading.lower()).split()
    return f"{number}-{'-'.join(words)}.png"


def scaled(path: Path, width: int) -> Image.Image:
    """A picture at another width."""
    with Image.open(path) as picture:
        height = round(picture.height * width / picture.width)
        return picture.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)


def picture_sessions(folder: Path) -> None:
    """Open a recorded session of each kind in a window of its own, and keep what it shows."""
    (DOCS / "sessions").mkdir(exist_ok=True)
    for name, (recording, pattern) in SESSIONS.items():
        copied = shutil.copytree(RECORDINGS / recording, folder / name)
        source = min(path for path in copied.rglob(pattern) if "subagents" not in path.parts)
        taken = copied / "taken.png"
        words = ("open", "--new-window", str(source), "--screenshot", str(taken))
        subprocess.run((sys.executable, "-m", "opentine_gui", *words), check=True, timeout=120)
        scaled(taken, WIDE).quantize(256).save(DOCS / "sessions" / f"{name}.png", optimize=True)


def main() -> None:
    """Replay the tutorial, open the sessions, and write every picture."""
    from tests.ui.virtual_display import VirtualDisplay

    with tempfile.TemporaryDirectory() as name, VirtualDisplay("1440x900x24") as display:
        folder = Path(name)
        os.environ.update(ENVIRONMENT, DISPLAY=display.name, **{key: str(folder / key) for key in PRIVATE})
        from tests.ui.opened import Opened, copy_of_demo
        from tests.ui.tutorial import replay

        opened = Opened(copy_of_demo(folder))
        opened.keyboard.focus()
        taken: list[tuple[str, Path]] = []
        replay(opened, lambda heading: taken.append((heading, opened.picture(folder / f"{len(taken)}.png"))))
        opened.close()
        for number, (heading, path) in enumerate(taken, start=1):
            small = scaled(path, WIDE).quantize(256)
            small.save(DOCS / "tutorial" / file_name(number, heading), optimize=True)
        frames = [scaled(path, ANIMATED_WIDE).quantize(COLOURS, dither=Image.Dither.NONE) for _, path in taken]
        target = DOCS / "tour.gif"
        frames[0].save(
            target, save_all=True, append_images=frames[1:], duration=SHOWN_MILLISECONDS, loop=0, optimize=True
        )
        if target.stat().st_size > LARGEST_ANIMATION:
            raise SystemExit(f"{target} has {target.stat().st_size:,} bytes, more than {LARGEST_ANIMATION:,}")
        picture_sessions(folder)


if __name__ == "__main__":
    main()
