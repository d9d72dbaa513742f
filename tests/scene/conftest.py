"""Lets the tests of this room import its `scenes` module, and keeps a busy machine from failing them."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
