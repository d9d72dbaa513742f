"""The size of the window is remembered whatever scale a single start is given."""

from __future__ import annotations

import pytest

from opentine_gui.app.application import make_session
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.platform.desktop_window import DesktopWindow
from opentine_gui.ui.toolkit.style import Style


@pytest.mark.parametrize(
    ("usual", "asked", "size"), [(1.0, 1.5, (1200, 800)), (2.0, 1.0, (2400, 1600)), (1.5, 1.5, (1800, 1200))]
)
def test_a_scale_for_one_start_leaves_the_window_as_large_as_it_was(
    usual: float, asked: float, size: tuple[int, int]
) -> None:
    session = make_session()
    session.settings.window_width, session.settings.window_height = 1200, 800
    session.settings.scale, session.view.scale = usual, asked
    assert DesktopWindow(session, Style(DARK, FontMetrics(), asked), None).wanted_size == size
