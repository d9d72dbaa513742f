"""Runs early in the built program: stand-ins for what watchfiles imports for the half of it that is never used.

`anyio` brings asyncio, ssl and the network; `watchfiles.run`, which starts programs anew, brings multiprocessing.
"""

import sys
from types import ModuleType

UNUSED = {"anyio": (), "watchfiles.run": ("run_process", "arun_process")}
"""Modules that are imported and not used, and what is imported from them."""

if getattr(sys, "frozen", False):
    for unused, missing in UNUSED.items():
        sys.modules[unused] = ModuleType(unused)
        vars(sys.modules[unused]).update(dict.fromkeys(missing))
