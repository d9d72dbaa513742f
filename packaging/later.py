"""Runs first in the built program: modules that others import for what they seldom do are loaded when they are used.

Data classes import `inspect` for signatures in docstrings, `urllib.parse` imports `ipaddress` for addresses in
brackets, NumPy imports `pickle` for arrays in files. What stands in for such a module hands on every question to the
real one.
"""

import importlib
import sys
from types import FunctionType, ModuleType

LATER = ("ast", "inspect", "ipaddress", "pickle")
AT_ONCE = {
    "inspect": {
        "isclass": lambda thing: isinstance(thing, type),
        "isfunction": lambda thing: isinstance(thing, FunctionType),
    }
}
"""What a stand-in answers itself: Dear PyGui asks these two when it is imported."""


class Later(ModuleType):
    """Stands in for a module until it is asked for something, and from then on asks the real one."""

    def __getattr__(self, wanted: str) -> object:
        if wanted.startswith("__"):  # the import system's own questions
            raise AttributeError(wanted)
        if sys.modules.get(self.__name__) is self:
            sys.modules.pop(self.__name__, None)
        return getattr(importlib.import_module(self.__name__), wanted)


def put_off(names: tuple[str, ...]) -> None:
    """Let stand-ins answer for these modules, where they are not loaded already."""
    for name in names:
        stand_in = sys.modules.setdefault(name, Later(name))
        if isinstance(stand_in, Later):
            vars(stand_in).update(AT_ONCE.get(name, {}))


if getattr(sys, "frozen", False):
    put_off(LATER)
