"""Runs early in the built program: `import networkx` there brings graphs and the algorithms of directed acyclic ones.

The whole package imports some 200 modules at once, a good part of the time from start to picture; the program uses a
directed graph and a topological sort. The first import runs what stands here in place of the package's own beginning.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

PARTS = (
    "networkx.exception",
    "networkx.classes",
    "networkx.convert",
    "networkx.generators.classic",
    "networkx.algorithms.dag",
)
"""What the small package has in itself, in the order it must be imported."""

LATER = {"generate_graphml": "networkx.readwrite.graphml", "parse_graphml": "networkx.readwrite.graphml"}
"""Names whose module is imported when somebody asks for one: it brings a parser of XML."""

KEPT = ("networkx.lazy_imports", "networkx.utils", *PARTS, *LATER.values())
"""What stays in the build, with everything below it."""


def is_kept(module: str) -> bool:
    """Whether a module of networkx stays in the build; modules of others all do."""
    if not module.startswith("networkx."):
        return True
    return any(module == kept or module.startswith(f"{kept}.") for kept in KEPT)


def ask_later(name: str) -> object:
    """What the small package answers for a name it does not have yet. AttributeError for one it never will."""
    if name not in LATER:
        raise AttributeError(f"the built program's networkx has no {name}")
    return getattr(importlib.import_module(LATER[name]), name)


class SmallNetworkX:
    """Finds `networkx` and the packages in it that would import the rest, and loads them without it."""

    PACKAGES = ("networkx", "networkx.algorithms", "networkx.generators", "networkx.readwrite")

    def __init__(self, folder: Path) -> None:
        """`folder` is where the package's modules are looked for."""
        self.folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.PACKAGES:
            return None
        spec = ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = [str(self.folder.joinpath(*name.split(".")))]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ != "networkx":
            return
        utils = importlib.import_module("networkx.utils")
        module._dispatchable = utils._dispatchable
        module._clear_cache = utils._clear_cache
        module.config = utils.config = utils.configs.config = utils.backends._set_configs_from_environment()
        module.__getattr__ = ask_later
        for name in PARTS:
            part = importlib.import_module(name)
            names = getattr(part, "__all__", None) or [name for name in vars(part) if not name.startswith("_")]
            vars(module).update({name: getattr(part, name) for name in names})


if getattr(sys, "frozen", False):
    sys.meta_path.insert(0, SmallNetworkX(Path(sys._MEIPASS)))
