"""Who may import whom, and where threads, clocks and file writes are allowed. Every rule is shown to catch a breach."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

PACKAGE = Path(__file__).parents[1] / "opentine_gui"
ROOMS = {
    "core": set(),
    "layout": set(),
    "importers": {"core"},
    "scene": {"core", "layout"},
    "describe": {"core", "scene"},
    "export": {"core", "layout", "importers", "scene", "describe"},
    "app": {"core", "layout", "importers", "scene", "describe", "export"},
    "ui": {"core", "scene", "describe", "app"},
    "command_line": {"core", "importers", "scene", "describe", "export", "app", "ui"},
}
OTHERS = {
    "core": {"msgspec", "backports"},
    "layout": {"networkx", "numpy"},
    "importers": {"msgspec"},
    "scene": {"fontTools", "numpy", "PIL"},
    "describe": {"msgspec", "PIL", "pygments"},
    "export": {"msgspec", "networkx", "numpy", "PIL"},
    "app": {
        "msgspec",
        "platformdirs",
        "watchfiles",
        "filelock",
        "numpy",
        "rapidfuzz",
        "regex",
        "send2trash",
        "wcwidth",
    },
    "ui": {"dearpygui", "numpy"},
    "command_line": {"msgspec", "wcwidth"},
}
FREE = {"assets", "__version__"}  # top-level names any room may use: package data and the version
THREADS = {"threading", "concurrent", "multiprocessing", "_thread", "asyncio"}
CHANCE = {"time", "random", "secrets", "uuid"}
NOW = {"now", "today", "utcnow"}  # datetime is pure arithmetic except for these
FORBIDDEN_WORDS = {
    "manager",
    "handler",
    "helper",
    "helpers",
    "util",
    "utils",
    "viewmodel",
    "view_model",
    "misc",
    "common",
}
MOST_ENTRIES = 14
MOST_LINES = 450
STANDARD = set(__import__("sys").stdlib_module_names)


def place(path: Path) -> tuple[str, str]:
    """(room, module) of a file of the package, such as ("core", "core.fork")."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return (parts[0] if len(parts) > 1 else "", ".".join(parts))


def imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Every imported module by its full dotted name, `from a import b` as a.b, relative ones resolved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                upward = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*upward, *([base] if base else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def asks_the_clock(node: ast.AST) -> bool:
    """True for datetime.now() and its like."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in NOW


WRITERS = ("core.files.storage", "core.files.atomic_write")


OWN_FILES = {
    "app.files.recovery.safety_copies": "safety copies and their locks",
    "app.folder.folder_index": "an index that is thrown away when in doubt",
    "app.search.text_index": "an index that is thrown away when in doubt",
    "app.state.settings": "a settings file that cannot be read is put aside",
    "app.system.desktop.linux": "the entry of the desktop that we made",
    "app.system.single_instance": "our socket",
    "ui.platform.screenshot": "the picture of the window, from its part",
}
"""Modules that remove or rename files, but never one of the user's: which ones."""


def moves_a_path(node: ast.AST) -> bool:
    """True for what removes, renames or links a file through pathlib: `unlink()`, `rename(to)`, `replace(to)` …

    A `replace` with one unnamed argument is a path's, for that of a string has two and that of a time has names. What
    is called on an attribute of another class that is known to be no path is left out by name.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name, owner = node.func.attr, ast.unparse(node.func.value)
    if owner in ("os", "shutil", "self.box"):
        return False
    if name in ("rename", "replace"):
        return len(node.args) == 1 and not node.keywords
    return name in ("unlink", "rmdir", "symlink_to", "hardlink_to")


def takes_an_id(node: ast.AST) -> bool:
    """True for id() of anything but self, which is there as long as the key that is made of it."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "id"
        and ast.unparse(node.args[0]) != "self"
    )


def leaves_a_stop_open(node: ast.AST) -> bool:
    """Whether a call begins a job that the user can stop, without a word on what happens then.

    A quiet one without a title is not on show, so nobody can stop it.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr not in ("submit", "compute") or not ast.unparse(node.func.value).endswith("jobs"):
        return False
    named = {word.arg for word in node.keywords}
    unseen = "quiet" in named and "title" not in named
    return not unseen and not named & {"stopped", "must_finish", "reports_stop"}


def opens_for_writing(node: ast.AST) -> bool:
    """True for open(..., "w"), Path.open("a"), write_text, write_bytes, and what changes files in os and shutil."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = getattr(getattr(node.func, "value", None), "id", "")
    if name in ("write_text", "write_bytes", "NamedTemporaryFile", "mkstemp", "TemporaryFile"):
        return True
    if owner in ("os", "shutil") and name in (
        "replace",
        "rename",
        "remove",
        "unlink",
        "truncate",
        "copyfile",
        "move",
        "rmtree",
    ):
        return True
    if name != "open" or owner == "webbrowser":
        return False
    method = isinstance(node.func, ast.Attribute) and owner not in ("os", "io", "gzip")
    if node.args and isinstance(node.args[0], ast.Attribute) and node.args[0].attr == "devnull":
        return False
    if owner == "os":
        return True
    modes = [word.value for word in node.keywords if word.arg == "mode"]
    if method:  # many objects have an `open`; that of a Path takes the mode first, as a plain string
        modes += [
            word for word in node.args[:1] if isinstance(word, ast.Constant) and set(str(word.value)) <= set("rwaxbt+")
        ]
    else:
        modes += node.args[1:2]
    return any(not isinstance(mode, ast.Constant) or set(str(mode.value)) & set("wax+") for mode in modes)


def faults(source: str, path: Path) -> list[str]:
    """The rules that `source` would break as the file `path`, as sentences."""
    tree, (room, module) = ast.parse(source), place(path)
    package = f"opentine_gui.{module}".rpartition(".")[0] if path.stem != "__init__" else f"opentine_gui.{room}"
    is_pure = room in ("layout", "scene", "describe", "export") or module.startswith("core.edit.")
    found = []
    if is_pure and any(asks_the_clock(node) for node in ast.walk(tree)):
        found.append(f"{module} asks the clock: pass times in")
    if set(path.stem.lower().split("_")) & FORBIDDEN_WORDS or path.stem.lower() in FORBIDDEN_WORDS:
        found.append(f"{module}: a module name that says nothing")
    for name in imports(tree, package):
        parts = name.split(".")
        if parts[0] == "opentine_gui":
            target = parts[1] if len(parts) > 1 else ""
            if room and target not in ROOMS[room] | FREE | {room}:
                found.append(f"{module} imports {name}")
        elif room and parts[0] not in STANDARD | OTHERS[room]:
            found.append(f"{module} imports {name}, which {room} may not use")
        elif not room and parts[0] == "dearpygui":
            found.append(f"{module} imports dearpygui, which only ui may")
        is_pipe = module == "app.system.single_instance" and name.startswith(
            "multiprocessing.connection."
        )  # it starts no thread
        if parts[0] in THREADS and not is_pipe and not module.startswith(("app.system.jobs", "app.system.watch")):
            found.append(f"{module} uses {parts[0]}: threads live in app.system.jobs and app.system.watch")
        if parts[0] in CHANCE and is_pure and name != "random.Random":  # which has a seed
            found.append(f"{module} uses {parts[0]}: pass times and random numbers in")
        if (
            module.startswith("scene.")
            and parts[0] == "PIL"
            and module not in ("scene.text.font_metrics", "scene.painters.pillow")
        ):
            found.append(f"{module} imports PIL, which is for font_metrics and the Pillow painter")
    if room == "ui" and any(takes_an_id(node) for node in ast.walk(tree)):
        found.append(f"{module} takes an id(): Python uses it again for another object; compare the objects themselves")
    if any(leaves_a_stop_open(node) for node in ast.walk(tree)):
        found.append(f"{module} begins a job without a word on what happens when the user stops it: `stopped`")
    if module not in WRITERS and any(opens_for_writing(node) for node in ast.walk(tree)):
        found.append(f"{module} writes or moves files: only core.files.storage and core.files.atomic_write may")
    if module not in (*WRITERS, *OWN_FILES) and any(moves_a_path(node) for node in ast.walk(tree)):
        found.append(
            f"{module} removes or renames files: only core.files.storage may, and what is our own is in OWN_FILES"
        )
    return found


def import_graph() -> nx.DiGraph[str]:
    """Module -> module of the package for every import, those inside functions and those for types alone included."""
    names = {path: f"opentine_gui.{place(path)[1]}".removesuffix(".__init__") for path in PACKAGE.rglob("*.py")}
    known, graph = set(names.values()), nx.DiGraph()
    for path, name in names.items():
        package = name if path.stem == "__init__" else name.rpartition(".")[0]
        for imported in imports(ast.parse(path.read_text(encoding="utf-8")), package):
            target = imported if imported in known else imported.rpartition(".")[0]
            if target in known and target != name:
                graph.add_edge(name, target)
    return graph


def test_no_module_can_be_reached_from_what_it_imports() -> None:
    circles = [sorted(circle) for circle in nx.strongly_connected_components(import_graph()) if len(circle) > 1]
    assert circles == []


def test_no_module_is_much_longer_than_what_should_be_split() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert path.read_text(encoding="utf-8").count("\n") <= MOST_LINES, path


def test_no_folder_is_larger_than_a_look_can_take_in() -> None:
    for folder in (PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir() and path.name != "__pycache__")):
        entries = [path for path in folder.iterdir() if path.name != "__pycache__" and path.suffix in ("", ".py")]
        assert len(entries) <= MOST_ENTRIES, folder


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: ".".join(place(path)[1:]))
def test_a_module_keeps_the_house_rules(path: Path) -> None:
    assert faults(path.read_text(encoding="utf-8"), path) == []


@pytest.mark.parametrize(
    ("where", "source"),
    [
        ("core/graph/graph.py", "import numpy"),
        ("scene/text.py", "from wcwidth import wcswidth"),
        ("core/graph/graph.py", "from opentine_gui.app import session"),
        ("core/graph/graph.py", "def f():\n    from ...scene import text"),
        ("core/edit/fork.py", "import time"),
        ("core/edit/merge.py", "from random import random"),
        ("core/edit/extract.py", "import uuid"),
        ("core/edit/replay.py", "import time"),
        ("export/page.py", "import time"),
        ("export/page.py", "from opentine_gui.app import session"),
        ("export/picture/image.py", "open('x', 'wb')"),
        ("scene/painters/svg.py", "from opentine_gui.export import export"),
        ("layout/batch/tree_order.py", "from datetime import datetime\nx = datetime.now()"),
        ("layout/batch/tree_order.py", "from opentine_gui.core import Step"),
        ("scene/picture/build.py", "import dearpygui.dearpygui as dpg"),
        ("scene/picture/build.py", "from PIL import Image"),
        ("scene/picture/build.py", "import uuid"),
        ("app/session.py", "import threading"),
        ("app/session.py", "from multiprocessing.connection import Client"),
        ("app/system/single_instance.py", "import threading"),
        ("app/system/single_instance.py", "import multiprocessing"),
        ("app/system/single_instance.py", "from multiprocessing import Process"),
        ("app/session.py", "import dearpygui"),
        ("app/state/settings.py", "open('x', 'w')"),
        ("app/state/settings.py", "from pathlib import Path\nPath('x').write_text('y')"),
        ("app/files/saving.py", "def f(path, other):\n    path.rename(other)"),
        ("app/files/saving.py", "def f(path, other):\n    path.with_suffix('.x').replace(other)"),
        ("app/files/saving.py", "def f(path):\n    path.unlink(missing_ok=True)"),
        ("app/state/settings.py", "p.open('ab')"),
        ("app/state/settings.py", "open('x', mode=how)"),
        ("app/state/settings.py", "import os\nos.replace('a', 'b')"),
        ("app/files/saving.py", "session.jobs.submit('key', work, done, failed, title='Saving')"),
        ("app/files/saving.py", "session.jobs.submit('key', work, done, priority=2)"),
        ("ui/panels/outline.py", "self.session.jobs.compute('key', make, done, steps=9)"),
        ("ui/canvas/canvas.py", "from opentine_gui.layout import lay_out"),
        ("ui/canvas/canvas.py", "from concurrent.futures import ThreadPoolExecutor"),
        ("ui/canvas/minimap.py", "key = (document.number, id(marks))"),
        ("ui/window_manager.py", ""),
        ("core/utils.py", ""),
        ("cli.py", "import dearpygui"),
    ],
)
def test_each_rule_catches_a_module_that_breaks_it(where: str, source: str) -> None:
    assert faults(source, PACKAGE / where)


@pytest.mark.parametrize(
    ("where", "source"),
    [
        ("app/system/jobs.py", "import threading"),
        ("app/system/single_instance.py", "from multiprocessing.connection import Client"),
        ("core/files/storage.py", "open('x', 'wb')"),
        ("core/graph/graph.py", "open('x')\nopen('x', 'rb')\np.open()\nimport time"),
        ("ui/canvas/canvas.py", "import dearpygui.dearpygui as dpg\nfrom opentine_gui.scene.text import clean"),
        ("ui/reading/content_view.py", "key = f'copy:{id(self)}'"),
        ("app/files/saving.py", "session.jobs.submit('key', work, done, title='Saving', stopped=end)"),
        ("app/files/saving.py", "session.jobs.submit('key', work, done, title='Saving', must_finish=True)"),
        ("app/files/saving.py", "session.jobs.submit('key', work, done, quiet=True)"),
        ("describe/numbers.py", "from datetime import UTC, datetime\ndatetime.fromtimestamp(0.0, UTC)"),
        ("scene/text/font_metrics.py", "from PIL import ImageFont\nfrom opentine_gui.assets import asset_path"),
    ],
)
def test_no_rule_catches_what_is_allowed(where: str, source: str) -> None:
    assert faults(source, PACKAGE / where) == []
