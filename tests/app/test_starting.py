"""What a window loads before its first frame: what is needed later is loaded later, where it is first needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from opentine_gui.importers import readers
from opentine_gui.importers.reader import Named

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "demo" / "research-01.tine"
LATER = (
    "PIL",
    "anyio",
    "fontTools",
    "multiprocessing",
    "pygments",
    "rapidfuzz",
    "regex",
    "watchfiles",
    "opentine_gui.export",
    "opentine_gui.importers.claude_code",
    "opentine_gui.importers.codex",
    "opentine_gui.importers.frameworks",
    "opentine_gui.importers.gemini",
    "opentine_gui.importers.growing",
    "opentine_gui.importers.pi",
)


def test_a_window_whose_run_can_be_painted_has_loaded_nothing_that_is_needed_later(tmp_path: Path) -> None:
    """As `ui.main.run` does it before it shows the window, without a display."""
    code = f"""
import sys, time
from pathlib import Path
import opentine_gui.ui.main as main
from opentine_gui.app.files.opening import load_readers
from opentine_gui.app.system.watch import Watch
watch = Watch(waits=True)
session = main.make_session(keys_folder=Path({str(tmp_path)!r}), watch=watch, environment={{}})
session.jobs.hold_background()
load_readers(session)
session.invoke("file.open", path=Path({str(DEMO)!r}))
session.step()
main.await_first_picture(session, 60.0)
assert session.active.picture.layout is not None and session.active.error is None
print(sorted(name for name in list(sys.modules) if name.startswith({LATER!r})))
"""
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=home, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


def test_every_row_of_the_table_of_readers_names_what_there_is() -> None:
    for reader in readers.READERS[1:]:
        assert isinstance(reader.recognise, Named) and isinstance(reader.read, Named), reader.name
        for one in (reader.recognise, reader.read, reader.parts, reader.family, reader.grow):
            if one is not None:
                assert isinstance(one, Named) and callable(one.found()), (reader.name, one)


def test_a_run_as_it_is_written_is_certain_so_that_no_other_reader_is_asked() -> None:
    head = DEMO.read_bytes()[:4096]
    assert readers.TINE.recognise(head) == 1.0
    for other in (
        b'{"type": "user", "uuid": "1", "sessionId": "2", "message": {"content": "\\"format_version\\": 2"}}',
        head.replace(b'"cache": {}', b'"cache": {"k": 1}'),
        b'{"container": "plain", "format_version": 2, "source_format": 2}',
    ):
        assert readers.TINE.recognise(other) < 1.0
