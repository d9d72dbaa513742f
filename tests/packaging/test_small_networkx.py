"""The built program's small NetworkX has what the program uses, and the build keeps exactly what that needs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import networkx

import small_networkx
from opentine_gui.layout import LayoutRequest, lay_out

ROOT = Path(__file__).parents[2]
SITE = Path(networkx.__file__).parents[1]
SCRIPT = """
import sys
sys.path[:0] = [{packaging!r}, {root!r}]
from pathlib import Path
import small_networkx
sys.meta_path.insert(0, small_networkx.SmallNetworkX(Path({site!r})))
{work}
"""


def in_small(work: str) -> list[str]:
    """What `work` prints where the small package stands in for the whole."""
    script = SCRIPT.format(packaging=str(ROOT / "packaging"), root=str(ROOT), site=str(SITE), work=work)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()


def used_names() -> set[str]:
    """Every name of networkx the program uses."""
    found: set[str] = set()
    for path in (ROOT / "opentine_gui").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "networkx" in text:
            found |= set(re.findall(r"\bnx\.(\w+)", text)) | set(re.findall(r"\bnetworkx\.(\w+)", text))
            found |= set(re.findall(r"from networkx import (\w+)", text))
    return found


def test_every_name_the_program_uses_is_in_the_small_package() -> None:
    names = used_names()
    assert {"DiGraph", "lexicographical_topological_sort"} <= names
    missing = in_small(f"import networkx\nprint(*[n for n in {sorted(names)!r} if not hasattr(networkx, n)])")
    assert missing == [""]


def test_a_layout_is_the_same_with_the_small_package_and_the_whole() -> None:
    work = """
import networkx as nx
from opentine_gui.layout import LayoutRequest, lay_out
graph = nx.DiGraph([(1, 2), (1, 3), (2, 4), (3, 4), (3, 5)])
print(lay_out(LayoutRequest(graph)).centers.tolist())
"""
    graph = networkx.DiGraph([(1, 2), (1, 3), (2, 4), (3, 4), (3, 5)])
    assert in_small(work) == [str(lay_out(LayoutRequest(graph)).centers.tolist())]


def test_what_the_small_package_imports_is_what_the_build_keeps() -> None:
    work = "import networkx\nprint(*sorted(name for name in sys.modules if name.startswith('networkx')), sep='\\n')"
    imported = [name for name in in_small(work) if name not in small_networkx.SmallNetworkX.PACKAGES]
    assert len(imported) < 60
    assert [name for name in imported if not small_networkx.is_kept(name)] == []


def test_a_cycle_is_refused_as_by_the_whole_package() -> None:
    work = """
import networkx as nx
try:
    list(nx.lexicographical_topological_sort(nx.DiGraph([(1, 2), (2, 1)])))
except nx.NetworkXUnfeasible:
    print("refused")
"""
    assert in_small(work) == ["refused"]
