"""The program speaks to its display and to another start of itself, and to nobody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.frozen.conftest import Desktop

ROOT = Path(__file__).parents[2]
LISTEN = """
import json, sys
log = open(sys.argv.pop(1), "a", buffering=1)
def hear(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "subprocess.", "os.system", "os.exec",
                         "os.posix_spawn", "webbrowser.")):
        log.write(json.dumps([event, repr(arguments)]) + "\\n")
sys.addaudithook(hear)
from opentine_gui.cli import main
raise SystemExit(main(sys.argv[1:]))
"""


def peers(process: int) -> set[str]:
    """The kinds of internet sockets that a process holds: "tcp", "udp6" and so on."""
    held = set()
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        try:
            target = os.readlink(descriptor)
        except OSError:
            continue
        if target.startswith("socket:["):
            held.add(target.removeprefix("socket:[").removesuffix("]"))
    found = set()
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6", "packet"):
        lines = Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]
        if any(word in held for line in lines for word in line.split()):
            found.add(table)
    return found


def test_a_session_with_a_window_tries_no_socket_but_the_local_one(
    desktop: Desktop, runs: Path, tmp_path: Path
) -> None:
    heard = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    desktop.environment |= {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    window = desktop.start(sys.executable, "-c", LISTEN, heard[0], runs / "research-01.tine")
    desktop.until(lambda: desktop.titles() == ["research-01.tine - opentine"], "the window")
    done = desktop.run(sys.executable, "-c", LISTEN, heard[1], runs / "merged" / "evidence.tine")
    assert (done.returncode, done.stderr) == (0, "")
    desktop.until(lambda: desktop.titles() == ["evidence.tine - opentine"], "the second file in the first window")
    assert peers(window.pid) == set()
    events = [[json.loads(line) for line in path.read_text().splitlines()] for path in heard]
    runtime = desktop.environment["XDG_RUNTIME_DIR"]
    spoken = [
        event
        for event in events[0] + events[1]
        if event[0] not in ("socket.__new__", "socket.getpeername") and "/.X11-unix/X" not in event[1]
    ]
    assert sorted(event[0] for event in spoken) == ["socket.bind", "socket.connect"], spoken
    assert all(f"'{runtime}/opentine-gui-" in event[1] for event in spoken)
    created = [event[1] for event in events[0] + events[1] if event[0] == "socket.__new__"]
    unix = "<AddressFamily.AF_UNIX: 1>"
    assert created and all(" 1, 1, 0)" in made or unix in made or "-1" in made for made in created)


def test_the_whole_program_never_makes_an_internet_socket(desktop: Desktop, program: Path, tmp_path: Path) -> None:
    """The same said by the kernel's own record of what the built program asks for, compiled parts included."""
    record = tmp_path / "calls"
    words = ["strace", "-f", "-qq", "-e", "trace=socket,connect", "-o", str(record), str(program), "self-test"]
    done = subprocess.run(words, env=desktop.environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    calls = [line for line in record.read_text().splitlines() if "socket(" in line or "connect(" in line]
    assert any("AF_UNIX" in line for line in calls)
    assert [line for line in calls if "AF_UNIX" not in line] == []
