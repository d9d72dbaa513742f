"""The built program's numpy: what is left out is left out on purpose, and nothing of ours asks for it."""

from __future__ import annotations

import ast
import ctypes
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import blas
import contents
import small_numpy

PACKAGE = Path(__file__).parents[2] / "opentine_gui"
NUMPY_FOLDER = Path(numpy.__file__).parent
PRODUCTS = {
    "dot",
    "vdot",
    "matmul",
    "inner",
    "outer",
    "tensordot",
    "einsum",
    "kron",
    "cross",
    "linalg",
    "cov",
    "polyfit",
}
NUMPY = ("np", "numpy")
PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
import small_numpy
sys.meta_path.insert(0, small_numpy.SmallNumPy())
import numpy as np
from numpy.typing import NDArray
assert "numpy.linalg._linalg" not in sys.modules
alias = NDArray[np.float64]
values = np.lexsort((np.array([2, 1, 2]), np.array([1, 1, 0])))
assert values.tolist() == [2, 1, 0]
assert np.median(np.array([1.0, 5.0, 3.0])) == 3.0
try:
    np.linalg.inv(np.eye(2))
except NotImplementedError as refusal:
    print(refusal)
import opentine_gui.ui.window, opentine_gui.app.session, opentine_gui.layout
"""


def products_in(source: str) -> list[str]:
    """What a module does that would need a library of linear algebra."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            found.append("@")
        if isinstance(node, ast.Attribute) and node.attr in PRODUCTS and getattr(node.value, "id", "") in NUMPY:
            found.append(node.attr)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numpy"):
            found.extend(alias.name for alias in node.names if alias.name in PRODUCTS)
    return found


def test_no_module_of_ours_multiplies_matrices() -> None:
    used = {path.name: products_in(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    assert {name: found for name, found in used.items() if found} == {}


def test_the_search_for_products_finds_them() -> None:
    found = products_in("a @ b\nnp.dot(a, b)\nfrom numpy import linalg\nmine.dot(c)")
    assert sorted(found) == ["@", "dot", "linalg"]


def test_numpy_works_without_what_is_left_out_and_says_what_is_not_there() -> None:
    words = [sys.executable, "-c", PROBE, str(Path(small_numpy.__file__).parent)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=PACKAGE.parent, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "linalg.inv" in done.stdout


def test_only_what_has_a_stand_in_is_left_out() -> None:
    assert not small_numpy.is_kept("numpy.linalg._linalg")
    assert not small_numpy.is_kept("numpy.typing")
    assert small_numpy.is_kept("numpy.lib._npyio_impl")
    assert small_numpy.is_kept("numpy")


@pytest.mark.skipif(blas.compiler() is None, reason="needs a C compiler on Linux")
def test_the_small_library_multiplies_vectors_and_ends_the_program_for_all_else(tmp_path: Path) -> None:
    core = next((NUMPY_FOLDER / "_core").glob("_multiarray_umath*.so"))
    openblas = next((NUMPY_FOLDER.parent / "numpy.libs").glob(f"{blas.BEGINS_WITH}*"))
    entries = [
        ("numpy/_core/" + core.name, str(core), "EXTENSION"),
        (f"numpy.libs/{openblas.name}", str(openblas), "BINARY"),
    ]
    entries += [("numpy.libs/libgfortran-1.so", "gone", "BINARY"), (openblas.name, "numpy.libs/x", "SYMLINK")]
    kept = contents.with_small_blas(entries, tmp_path)
    assert [target for target, _, _ in kept] == [entries[0][0], entries[1][0], entries[3][0]]
    small = Path(kept[1][1])
    assert small.parent == tmp_path
    assert small.stat().st_size < 100_000
    library = ctypes.CDLL(str(small))
    assert all(hasattr(library, name) for name in blas.wanted_functions(core))
    vector = (ctypes.c_double * 4)(1, 2, 3, 4)
    library.scipy_cblas_ddot64_.restype = ctypes.c_double
    long = ctypes.c_int64
    assert library.scipy_cblas_ddot64_(long(4), vector, long(1), vector, long(1)) == 30.0
    assert library.scipy_cblas_ddot64_(long(2), vector, long(2), vector, long(-2)) == 1 * 3 + 3 * 1
    code = f"import ctypes; ctypes.CDLL({str(small)!r}).scipy_cblas_dgemm64_()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode < 0
    assert "scipy_cblas_dgemm64_ is not in this build" in ended.stderr


def test_without_openblas_nothing_is_changed(tmp_path: Path) -> None:
    entries = [("libz.so.1", "/lib/libz.so.1", "BINARY")]
    assert contents.with_small_blas(entries, tmp_path) == entries
