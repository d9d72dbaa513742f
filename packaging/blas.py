"""In place of OpenBLAS, 28 MB to which NumPy is linked and of which this program calls nothing: a library of a few kB.

NumPy's core names 22 functions of it, for products of matrices and vectors. Two of them work, the inner products of
real numbers, because NumPy tries one when it is imported; the others end the program with a sentence. It is compiled
when the binary is built on Linux and a C compiler is there; otherwise OpenBLAS goes in as it is.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

BEGINS_WITH = "libscipy_openblas"
COMPANIONS = ("libgfortran", "libquadmath")
"""Libraries that only OpenBLAS needs."""

INNER_PRODUCTS = {"scipy_cblas_sdot64_": "float", "scipy_cblas_ddot64_": "double"}


def wanted_functions(core: Path) -> list[str]:
    """The functions that NumPy's core asks OpenBLAS for, by the names in its symbol table."""
    words = ["nm", "--dynamic", "--undefined-only", "--format=just-symbols", str(core)]
    listed = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return sorted(name for name in listed if name.startswith(("scipy_", "cblas_", "openblas_")))


def source_text(functions: list[str]) -> str:
    """The library's C source."""
    parts = ["#include <stdint.h>", "#include <stdio.h>", "#include <stdlib.h>"]
    for name in functions:
        number = INNER_PRODUCTS.get(name)
        if number is None:
            parts.append(
                f'void {name}(void) {{ fputs("opentine-gui: {name} is not in this build of NumPy\\n", stderr);'
                " abort(); }"
            )
            continue
        parts.append(
            f"{number} {name}(int64_t n, const {number} *x, int64_t step_x, const {number} *y, int64_t step_y)\n"
            "{\n    double sum = 0;\n"
            "    if (step_x < 0) x -= (n - 1) * step_x;\n"
            "    if (step_y < 0) y -= (n - 1) * step_y;\n"
            "    for (int64_t i = 0; i < n; i++) sum += (double)x[i * step_x] * y[i * step_y];\n"
            f"    return ({number})sum;\n}}"
        )
    return "\n".join(parts) + "\n"


def compiler() -> str | None:
    """The C compiler of this machine; None where there is none or the build is not for Linux."""
    tools = [shutil.which(name) for name in ("cc", "nm")]
    return tools[0] if sys.platform.startswith("linux") and all(tools) else None


def small_library(openblas: Path, core: Path, folder: Path) -> Path | None:
    """The stand-in for `openblas` in `folder`, under the same name; None when this machine cannot make it."""
    command = compiler()
    functions = wanted_functions(core) if command is not None else []
    if command is None or not set(INNER_PRODUCTS) <= set(functions):
        return None
    source, target = folder / "blas.c", folder / openblas.name
    source.write_text(source_text(functions), encoding="utf-8")
    words = [command, "-shared", "-fPIC", "-O2", "-s", f"-Wl,-soname,{openblas.name}", "-o", str(target), str(source)]
    subprocess.run(words, check=True)
    return target
