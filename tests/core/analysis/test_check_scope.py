"""Which checks answer which: what a command line covers, whatever it printed."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from opentine_gui.core.analysis.suspicion.check_scope import Check, checks_of, covers
from opentine_gui.core.graph.calls.call_roles import classified
from tests.growth import is_squared

HOME = "/home/me/shop"


def check(command: str) -> Check:
    (found,) = checks_of(classified("Bash", {"command": command}), HOME).all
    return found


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("pytest", "pytest tests/a.py"),
        ("uv run -q pytest -q", "python -m pytest -x tests/a.py::test_one"),
        ("pytest tests/", "pytest -k one tests/a.py"),
        ("pytest tests/b.py tests/a.py", "pytest tests/a.py 2>&1 | tail -3"),
        ("cd /home/me/shop && npm run build", "npm run build -w @shop/web"),
        ("go test ./...", 'cd cmd && go test ./cli -run "TestA|TestB" -count=1'),
        ("golangci-lint run ./cmd/cli/", "golangci-lint run ./cmd/cli/hooks.go"),
        ("npm run check", "npx tsc --noEmit --skipLibCheck src/**/*.ts 2>&1 | grep -v tui"),
        ("cd web && npm run check 2>&1 | tail", "cd web && npx tsgo -p tsconfig.build.json | grep error"),
        ("mise run lint", "eslint src"),
        ("make test", "pytest tests/a.py"),
        ("go test ./...", "go test ./... -run TestX"),
        ("pytest tests/a.py .", "pytest tests/b.py"),
        ("pytest -q \\\n  tests/a.py \\\n  tests/b.py", "pytest tests/b.py"),
        ("pytest \\\n  -x", "pytest tests/b.py"),
        (r"pytest tests\unit", "pytest tests/unit/a.py"),
    ],
)
def test_a_check_answers_what_it_runs_again(later: str, earlier: str) -> None:
    assert covers(check(later), check(earlier))


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("pytest tests/a.py", "pytest"),
        ("pytest -k one", "pytest"),
        ("pytest tests/a.py", "pytest tests/b.py"),
        ("pytest tests/ab.py", "pytest tests/a"),
        ("npm run build -w @shop/web", "npm run build"),
        ("cd packages/tui && npm run build", "npm run build"),
        ("cd packages/tui && npm run build", "cd packages/web && npm run build"),
        ("go test ./cmd", "go test ./..."),
        ("go test ./cmd", "go test ./cmd/cli"),
        ("go test ./... -run TestX", "go test ./..."),
        ("go test ./... -run TestX", "go test ./... -run TestY"),
        ("pytest . -k one", "pytest"),
        ("npx tsc --noEmit", "npm run check"),
        ("npm run build", "npm run check"),
        ("npm run lint", "npx tsc --noEmit"),
        ("npm run lint:css", "eslint src"),
        ("npm run check -- src/a.ts", "npx tsc --noEmit"),
        ("ruff format --check", "ruff check"),
        ("npm test -- a.test.ts", "npm test"),
        ("pytest \\\n  tests/a.py", "pytest"),
        ("pytest -x \\\r\n  tests/a.py \\\r\n  -q", "pytest"),
        ("pytest \\ tests/a.py", "pytest"),
        ("pytest tests/a.py \\", "pytest"),
    ],
)
def test_a_part_or_another_check_does_not(later: str, earlier: str) -> None:
    assert not covers(check(later), check(earlier))


def test_a_build_answers_the_compiler_run_by_hand_only_where_it_had_failed_before_that() -> None:
    build, compiler = check("npm run build"), check("npx tsc --noEmit src/a.ts")
    assert covers(build, compiler, failed_before=True)
    assert not covers(build, compiler), "a build by another tool checks no types"


@pytest.mark.parametrize(
    "command",
    [
        "pytest --version", "pytest --collect-only -q", "pytest --co", "pytest tests/a.py --help",
        "python -m pytest -h", "npx tsc --version", "tsc -v", "tsc --showConfig -p web", "eslint --version",
        "npx jest --listTests",
        "npx eslint --print-config src/a.ts", "eslint --print-config=src/a.ts", "uv run mypy -V", "make -n test",
        "make test --dry-run", "cd web && tox -l", "tox --list", "ruff check --exit-zero .", "cargo test -- --list",
    ],
)  # fmt: skip
def test_a_program_that_only_tells_of_itself_or_cannot_fail_is_no_check(command: str) -> None:
    found = checks_of(classified("Bash", {"command": command}), HOME)
    assert (found.all, found.told) == ((), ())


@pytest.mark.parametrize(
    "command",
    [
        "pytest -n 4 -l", "pytest -v", "make test -j4", "ctest -V", "mvn -V test", "tox -e py312",
        "pytest -k '-h or -V'", "python -m pytest --version && pytest",
    ],
)  # fmt: skip
def test_an_option_that_means_another_thing_to_a_program_leaves_its_check(command: str) -> None:
    assert len(checks_of(classified("Bash", {"command": command}), HOME).all) == 1


PATHS = st.lists(st.sampled_from(["a", "b", "ab", ".", ""]), max_size=4).map("/".join)
TARGETS = st.frozensets(PATHS | st.text("ab/.", max_size=5), max_size=6)


@given(TARGETS, TARGETS)
@example(frozenset(["/"]), frozenset(["/a"]))
@example(frozenset(["a", "a/b", "a-b"]), frozenset(["a/c", "a-b/c"]))
def test_each_target_has_to_be_one_that_is_checked_or_lie_in_one(
    later: frozenset[str], earlier: frozenset[str]
) -> None:
    def is_under(path: str, folder: str) -> bool:
        return path == folder or folder in ("", ".") or path.startswith(folder.rstrip("/") + "/")

    every = all(any(is_under(path, folder) for folder in later) for path in earlier)
    assert covers(Check("pytest", later), Check("pytest", earlier)) == every


def test_targets_are_looked_up_and_not_each_compared_with_each() -> None:
    def work(count: int) -> None:
        folders = frozenset(f"tests/{number:05}" for number in range(count))
        assert covers(Check("pytest", folders), Check("pytest", frozenset(f"{folder}/a.py" for folder in folders)))

    assert not is_squared(work, 100)
