"""What stands in for parts of others in the built program does what the program needs, and says what it does not."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import blas
import contents
import later
import ready_code

ROOT = Path(__file__).parents[2]
SITE = Path(numpy.__file__).parents[1]


def in_python(work: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script that finds the program and the modules of packaging/."""
    script = f"import sys\nsys.path[:0] = [{str(ROOT / 'packaging')!r}, {str(ROOT)!r}]\n{work}"
    words = [sys.executable, "-c", script]
    return subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)


def printed(work: str, **environment: str) -> list[str]:
    """The lines a script prints; it must end well."""
    done = in_python(work, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


SMALL_NUMPY = "import small_numpy\nsys.meta_path.insert(0, small_numpy.SmallNumPy())\n"
"""With OpenBLAS goes LAPACK, which NumPy's linear algebra is linked to."""


# --- in place of OpenBLAS


@pytest.fixture(scope="module")
def small_blas(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The small library, made for the NumPy of this environment."""
    core = next(SITE.glob("numpy/_core/_multiarray_umath*"))
    large = next(iter(SITE.glob(f"numpy.libs/{blas.BEGINS_WITH}*")), None)
    if blas.compiler() is None or large is None:
        pytest.skip("no C compiler, or a NumPy without a library of its own")
    made = blas.small_library(large, core, tmp_path_factory.mktemp("blas"))
    assert made is not None and made.name == large.name
    assert made.stat().st_size < 100_000
    return str(made)


def test_a_product_of_matrices_ends_the_program_with_its_reason(small_blas: str) -> None:
    work = f"{SMALL_NUMPY}import numpy as np\nnp.ones((9, 9)) @ np.ones((9, 9))"
    done = in_python(work, LD_PRELOAD=small_blas)
    assert done.returncode != 0 and "is not in this build of NumPy" in done.stderr


def test_a_run_is_laid_out_and_painted_the_same_with_both(small_blas: str) -> None:
    picture, demo = Path(small_blas).parent / "run.png", ROOT / "assets" / "demo" / "retry-01.tine"
    work = f"""
import hashlib
from pathlib import Path
from opentine_gui.cli import main
assert main(["export", {str(demo)!r}, "-o", {str(picture)!r}, "--force"]) == 0
print(hashlib.sha256(Path({str(picture)!r}).read_bytes()).hexdigest())
"""
    assert printed(SMALL_NUMPY + work, LD_PRELOAD=small_blas)[-1:] == printed(work)[-1:]


# --- NumPy without its linear algebra


def test_every_module_of_the_program_imports_with_the_small_numpy() -> None:
    modules = [name for name in contents.own_modules(ROOT) if not name.endswith("__main__")]
    work = f"""
import importlib, small_numpy
sys.meta_path.insert(0, small_numpy.SmallNumPy())
for name in {modules!r}:
    importlib.import_module(name)
print(*[name for name in sys.modules if not small_numpy.is_kept(name) and sys.modules[name].__spec__.origin])
"""
    assert printed(work) == [""]


def test_every_name_of_numpy_that_the_program_uses_is_in_the_small_one() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "opentine_gui").rglob("*.py")]
    names = sorted({name for text in texts for name in re.findall(r"\bnp\.(\w+)", text)})
    assert {"searchsorted", "concatenate"} <= set(names)
    work = f"import numpy as np\nprint([name for name in {names!r} if not hasattr(np, name)])"
    assert printed(SMALL_NUMPY + work) == ["[]"]


def test_functions_of_the_small_numpy_answer_as_those_of_the_whole() -> None:
    work = """
import numpy as np
a = np.array([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]])
print(np.concatenate([a, a[:, :1]], axis=1).tolist(), np.where(a > 2, a, 0).tolist(), np.unique([3, 1, 3]).tolist())
print(np.full_like(a, 5).sum(), np.ones(3).tolist(), np.median(a), np.argsort(a, axis=None, kind="stable").tolist())
print(np.pad(a, 1).shape, np.clip(a, 2, 8).tolist(), np.repeat([1, 2], 2).tolist(), np.diff(a).max())
print(np.frombuffer(bytes([1, 2]), dtype=np.uint8).tolist(), np.array2string(a), np.lexsort((a[0],)))
"""
    assert printed(SMALL_NUMPY + work) == printed(work)


# --- what was compiled before


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the build keeps of the program's data classes, named tuples and patterns."""
    file = tmp_path_factory.mktemp("ready") / ready_code.FILE
    subprocess.run([sys.executable, ready_code.__file__, str(file)], check=True, timeout=120)
    return file


def test_nothing_of_the_program_is_compiled_at_its_start(ready: Path) -> None:
    work = f"""
import importlib, marshal, types
from pathlib import Path
import contents, ready_code
names = [name for name in contents.own_modules(Path({str(ROOT)!r})) if not name.endswith("__main__")]
class Asked(dict):
    def __init__(self, have):
        super().__init__(have)
        self.texts = []
    def get(self, text, default=None):
        self.texts.append(text)
        return super().get(text, default)
have = {{kind: Asked(found) for kind, found in marshal.loads(Path({str(ready)!r}).read_bytes()).items()}}
ready_code.marshal = types.SimpleNamespace(loads=lambda _data: have)
ready_code.use(Path({str(ready)!r}))
for name in names:
    importlib.import_module(name)
for kind, least in (("exec", 60), ("eval", 40), ("patterns", 30)):
    asked = have[kind].texts
    print(kind, len(asked) > least, [text for text in asked if text not in have[kind]])
"""
    assert printed(work) == ["exec True []", "eval True []", "patterns True []"]


def test_what_is_made_of_it_behaves_the_same(ready: Path) -> None:
    work = """
from opentine_gui.scene.camera import Camera
from opentine_gui.scene.drawlist import Line
one, same, other = Camera(1.0, 2.0, 0.5), Camera(1.0, 2.0, 0.5), Camera(1.0, 2.0, 1.0)
print(one == same, one == other, hash(one) == hash(same), one)
try:
    one.x = 3.0
except AttributeError as error:
    print(type(error).__name__)
print(Line._fields, Line(((0, 0),), (1, 2, 3, 4), 1.0)._replace(thickness=2.0))
from opentine_gui.scene import text
print(text.clean("\\x1b[31mred\x1b[0m  \\u202eodd\\nline" + "\\u0301" * 9))
"""
    use = f"import ready_code\nfrom pathlib import Path\nready_code.use(Path({str(ready)!r}))\n"
    assert printed(use + work) == printed(work)


def test_what_is_not_there_is_compiled_as_ever(ready: Path) -> None:
    work = f"""
import ready_code
from pathlib import Path
ready_code.use(Path({str(ready)!r}))
import dataclasses, re
from collections import namedtuple
@dataclasses.dataclass(order=True)
class Unheard:
    first: int
    second: str = "b"
print(Unheard(1) < Unheard(2), Unheard(1).second, namedtuple("Of", "this and_that")(1, and_that=2))
print(re.sub(r"(?P<unheard>q+)x", r"<\\g<unheard>>", "qqx"), re.findall(b"(?i)Qx", b"qX"))
try:
    re.compile("(")
except re.error as error:
    print(error)
"""
    assert printed(work) == [
        "True b Of(this=1, and_that=2)",
        "<qq> [b'qX']",
        "missing ), unterminated subpattern at position 0",
    ]


# --- modules that are loaded when they are used


def test_a_module_that_is_put_off_is_loaded_when_it_is_asked_for_something() -> None:
    work = """
import later
before = set(sys.modules)
later.put_off(("ipaddress", "colorsys", "sys"))
import colorsys, ipaddress
stands_in = colorsys
print(type(colorsys).__name__, type(sys).__name__, {"numbers"} & (set(sys.modules) - before))
from ipaddress import ip_address
print(ip_address("::1").is_loopback, colorsys.rgb_to_hsv(0, 0, 1)[2], stands_in.ONE_THIRD == 1 / 3)
import colorsys
print(type(colorsys).__name__, colorsys.__spec__.name)
try:
    stands_in.nothing
except AttributeError as error:
    print(error)
"""
    assert printed(work) == [
        "Later module set()",
        "True 1 True",
        "module colorsys",
        "module 'colorsys' has no attribute 'nothing'",
    ]


def test_what_a_stand_in_answers_itself_is_what_the_module_answers() -> None:
    things = (int, test_importing_the_program_asks_nothing_of_the_modules_that_are_put_off, print, ast, 3, ast.Name())
    for module, answers in later.AT_ONCE.items():
        for name, answer in answers.items():
            real = getattr(importlib.import_module(module), name)
            assert [answer(thing) for thing in things] == [real(thing) for thing in things], name


def test_importing_the_program_asks_nothing_of_the_modules_that_are_put_off(ready: Path) -> None:
    work = f"""
sys.modules["typing_extensions"] = None  # the built program has none
import later
for name in later.LATER:
    sys.modules.pop(name, None)
later.put_off(later.LATER)
import ready_code, small_numpy
from pathlib import Path
ready_code.use(Path({str(ready)!r}))
sys.meta_path.insert(0, small_numpy.SmallNumPy())
import opentine_gui.command_line.opening, opentine_gui.ui.main
print([name for name in later.LATER if not isinstance(sys.modules[name], later.Later)])
"""
    assert printed(work) == ["[]"]


# --- watching files without what starts programs


def test_files_are_watched_without_asyncio_and_multiprocessing(tmp_path: Path) -> None:
    work = f"""
sys.frozen = True
import small_watchfiles
from pathlib import Path
from threading import Event, Thread
from watchfiles import watch
folder, stop = Path({str(tmp_path)!r}), Event()
def write():
    while not stop.wait(0.05):
        (folder / "a.tine").write_text("x")
thread = Thread(target=write)
thread.start()
found = next(watch(folder, stop_event=stop, debounce=50, step=10))
stop.set()
thread.join()
brought = [name for name in ("asyncio", "multiprocessing") if name in sys.modules]
print({{Path(path).name for _, path in found}}, brought)
"""
    assert printed(work) == ["{'a.tine'} []"]
