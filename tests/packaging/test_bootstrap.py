"""`packaging/bootstrap.sh` with stand-ins for the system's programs: a busy apt, a failing one, other systems."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REAL = ("sh", "dirname", "tail", "cmp", "tr", "env", "cat", "grep", "awk", "cp", "mkdir")
LOCKED = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1 (apt-get)"

pytestmark = pytest.mark.skipif("sys.platform != 'linux'", reason="a script for Linux and macOS, tried on Linux")


class Machine:
    """A clone of the project's setup on a machine whose programs are stand-ins."""

    def __init__(self, folder: Path) -> None:
        self.root, self.programs = folder / "clone", folder / "bin"
        self.programs.mkdir(parents=True)
        (self.root / "packaging").mkdir(parents=True)
        shutil.copy(ROOT / "packaging" / "bootstrap.sh", self.root / "packaging")
        for name in REAL:
            found = shutil.which(name)
            assert found, name
            (self.programs / name).symlink_to(found)
        self.has("id", "echo 0")
        self.has("sleep", "echo slept >>$HOME/slept")
        self.has("uname", "echo Linux")
        for name in ("requirements.lock", "requirements-dev.lock"):
            (self.root / name).write_text("one==1\ntwo==2\n")
        self.set_up()

    def has(self, name: str, script: str, folder: Path | None = None) -> None:
        """Put a program on the path."""
        path = (folder or self.programs) / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def set_up(self) -> None:
        """An environment in which all Python packages are installed and all libraries were found."""
        programs = self.root / ".venv" / "bin"
        programs.mkdir(parents=True)
        self.has("python", "exit 0", programs)
        for name in ("requirements.lock", "requirements-dev.lock"):
            shutil.copy(self.root / name, self.root / ".venv" / f"installed-{name}")
        (self.root / ".venv" / "system-libraries-found").write_text("")

    def run(self, mode: str = "run") -> subprocess.CompletedProcess[str]:
        """Run the script."""
        return subprocess.run(
            [self.root / "packaging" / "bootstrap.sh", mode], capture_output=True, text=True, timeout=60, check=False,
            env={"PATH": str(self.programs), "HOME": str(self.programs.parent)},
        )  # fmt: skip


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_busy_apt_is_waited_for(machine: Machine, tmp_path: Path) -> None:
    count = tmp_path / "count"
    machine.has(
        "apt-get",
        f'echo "$@" >>{count}; [ $(grep -c . {count}) -gt 3 ] || {{ echo "{LOCKED}" >&2; exit 100; }}; echo done',
    )
    done = machine.run()
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("apt is busy with another installation") == 1
    assert (tmp_path / "slept").read_text().count("slept") == 3
    asked = count.read_text().splitlines()
    assert asked[:4] == ["update -q"] * 4
    assert asked[4].endswith("xvfb xauth")


def test_an_apt_that_stays_busy_is_given_up_with_a_sentence(machine: Machine) -> None:
    machine.has("apt-get", f'echo "{LOCKED}" >&2; exit 100')
    done = machine.run()
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "bootstrap: apt was busy for 600 seconds; run the same command again"
    )


def test_an_apt_that_cannot_install_says_why(machine: Machine) -> None:
    machine.has("apt-get", 'echo "E: Unable to locate package xvfb" >&2; exit 100')
    done = machine.run()
    assert done.returncode == 1
    assert "E: Unable to locate package xvfb" in done.stderr
    assert done.stderr.splitlines()[-1] == "bootstrap: apt-get could not install: xvfb xauth"


def test_a_mac_needs_no_system_packages_and_is_told_which_tests_it_can_run(machine: Machine) -> None:
    machine.has("uname", "echo Darwin")
    done = machine.run()
    assert (done.returncode, done.stderr) == (0, "")
    done = machine.run("dev")
    assert done.returncode == 0
    assert "make test TESTS='-m \"not window\"'" in done.stderr
    shutil.rmtree(machine.root / ".venv")
    done = machine.run()
    assert done.returncode == 1
    assert "brew install python@3.13" in done.stderr


@pytest.mark.parametrize("status", [0, 1])
def test_python_packages_are_counted_while_they_are_installed(machine: Machine, status: int) -> None:
    (machine.root / ".venv" / "installed-requirements.lock").unlink()
    (machine.root / ".venv" / "installed-requirements-dev.lock").unlink()
    pip = f'case "$*" in *" install "*) echo "Collecting one==1"; echo "why" >&2; exit {status};; esac'
    machine.has("python", pip, machine.root / ".venv" / "bin")
    machine.has("Xvfb", "")
    machine.has("xauth", "")
    done = machine.run()
    assert "  1 of 2  one==1\n" in done.stderr
    assert done.returncode == status
    stamp = machine.root / ".venv" / "installed-requirements.lock"
    assert stamp.exists() == (status == 0)
    assert ("why" in done.stderr) == (status == 1)


def test_the_script_is_plain_sh() -> None:
    for script in ("bootstrap.sh", "run_demo.sh"):
        subprocess.run(["sh", "-n", ROOT / "packaging" / script], check=True, timeout=60, env=dict(os.environ))
