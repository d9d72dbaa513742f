"""The readers of trajectories."""

from __future__ import annotations

from opentine_gui.importers.frameworks.trajectories import atif, messages, swe_agent

READERS = (*atif.READERS, *swe_agent.READERS, *messages.READERS)
