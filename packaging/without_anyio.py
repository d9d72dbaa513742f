"""Runs first in the built program: an empty `anyio`, which watchfiles imports for the half of it that is never used.

The real one brings asyncio, ssl and the network into a program that has no use for them.
"""

import sys
from types import ModuleType

sys.modules["anyio"] = ModuleType("anyio")
