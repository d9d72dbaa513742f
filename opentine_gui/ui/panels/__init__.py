"""The panels around the canvas: each reads the session, rebuilds when its key changes, and sends actions.

A new panel is a module with a subclass of `Panel` and a row in this table; the window builds, places and syncs it.
"""

from __future__ import annotations

from opentine_gui.ui.panels.agents.output import OutputPanel
from opentine_gui.ui.panels.agents.sessions import AgentSessionsPanel
from opentine_gui.ui.panels.files import FilesPanel
from opentine_gui.ui.panels.heat import HeatPanel
from opentine_gui.ui.panels.inspector.panel import Inspector
from opentine_gui.ui.panels.notes import NotesPanel
from opentine_gui.ui.panels.outline import Outline
from opentine_gui.ui.panels.panel import PanelRow
from opentine_gui.ui.panels.runs.panel import RunsPanel
from opentine_gui.ui.panels.search.panel import SearchPanel
from opentine_gui.ui.panels.several_runs.comparison import ComparisonPanel
from opentine_gui.ui.panels.several_runs.shown_runs import ShownRuns
from opentine_gui.ui.panels.status import StatusBar
from opentine_gui.ui.panels.time_strip.panel import TimelinePanel

PANELS = (
    PanelRow("runs", "left", "panels", RunsPanel),
    PanelRow("sessions", "left", "sessions", AgentSessionsPanel),
    PanelRow("shown runs", "left", "panels", ShownRuns),
    PanelRow("notes", "left", "panels", NotesPanel),
    PanelRow("search", "left", "search", SearchPanel),
    PanelRow("heat", "left", "panels", HeatPanel),
    PanelRow("files", "left", "panels", FilesPanel),
    PanelRow("outline", "left", "panels", Outline),
    PanelRow("comparison", "right", "panels", ComparisonPanel),
    PanelRow("inspector", "right", "panels", Inspector),
    PanelRow("output", "bottom", "panels", OutputPanel),
    PanelRow("timeline", "bottom", "panels", TimelinePanel),
    PanelRow("status", "bottom", "panels", StatusBar),
)
"""Every panel, each side from top to bottom."""
