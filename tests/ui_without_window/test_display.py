"""Whether there is a display, and its scale by environment and resources, including nonsense in either."""

from __future__ import annotations

import pytest

from opentine_gui.ui.platform.display import ask_early, display_problem, display_scale

pytestmark = pytest.mark.skipif("sys.platform in ('win32', 'darwin')", reason="X11's rules")


def scale(resources: str = "", **environment: str) -> float:
    return display_scale(environment, lambda: resources)


def test_the_displays_resolution_counts_when_no_variable_does() -> None:
    assert scale() == 1.0
    assert scale("Xft.antialias:\t1\nXft.dpi:\t144\n") == 1.5
    assert scale("Xft.dpi:\t110\n") == 1.25
    assert scale("Xft.dpi:\t192", GDK_SCALE="1") == 1.0
    assert scale("other.Xft.dpi:\t192\n") == 1.0


def test_toolkits_variables_go_first() -> None:
    assert scale(GDK_SCALE="2") == 2.0
    assert scale(GDK_SCALE="2", GDK_DPI_SCALE="0.75") == 1.5
    assert scale(QT_SCALE_FACTOR="1.5") == 1.5
    assert scale(GDK_SCALE="2", QT_SCALE_FACTOR="3") == 2.0


@pytest.mark.parametrize("nonsense", ["", "x", "-2", "nan", "inf", "1e9", "0", "1,5"])
def test_nonsense_counts_as_unset(nonsense: str) -> None:
    assert scale(GDK_SCALE=nonsense, QT_SCALE_FACTOR=nonsense) == 1.0
    assert scale(f"Xft.dpi:\t{nonsense}\n") == 1.0


def test_the_scale_stays_within_bounds() -> None:
    assert scale(GDK_SCALE="40") == 3.0
    assert scale("Xft.dpi:\t48\n") == 1.0
    assert scale("Xft.dpi:\t100000\n") == 3.0


def test_without_a_display_the_reason_is_reported() -> None:
    assert "DISPLAY is not set" in str(display_problem({}))
    assert "does not answer" in str(display_problem({"DISPLAY": ":9999"}))


@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ":9999"}, {"WAYLAND_DISPLAY": "wayland-0"}])
def test_asked_early_a_display_answers_the_same(environment: dict[str, str]) -> None:
    answer = ask_early(environment)
    assert answer() == answer() == display_problem(environment)
