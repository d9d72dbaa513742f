"""Chooses the modules, libraries and data files of the built program. Used by opentine_gui.spec."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

EXCLUDED_MODULES = (
    # Tk, test frameworks, and packaging tools
    "tkinter", "_tkinter", "unittest", "doctest", "pydoc", "lib2to3", "distutils", "setuptools", "pkg_resources",
    "pip", "pytest", "_pytest", "hypothesis", "mypy", "IPython", "curses",
    # the parts of NumPy that build and test extensions
    "numpy.f2py", "numpy.testing", "numpy.distutils", "numpy._pyinstaller",
    "numpy._core._multiarray_tests", "numpy._core.tests",
    # the parts of NumPy that are imported on demand, which nothing here does
    "numpy.random", "numpy.fft", "numpy.polynomial",
    # the parts of fontTools that draw, edit and compile fonts: only tables of characters and widths are read
    "fontTools.varLib", "fontTools.misc.bezierTools", "fontTools.feaLib", "fontTools.otlLib", "fontTools.cu2qu",
    "fontTools.qu2cu", "fontTools.subset", "fontTools.merge", "fontTools.designspaceLib", "fontTools.ufoLib",
    "fontTools.svgLib", "fontTools.colorLib", "fontTools.voltLib", "fontTools.mtiLib",
    # optional dependencies of NetworkX, fontTools and msgspec
    "matplotlib", "scipy", "pandas", "pygraphviz", "pydot", "sympy", "lxml", "yaml", "tomli_w", "attrs", "attr",
    # windows of other toolkits, and a picture format and colour profiles that are never used
    "PIL.ImageTk", "PIL.ImageQt", "PIL._avif", "PIL.AvifImagePlugin", "PIL.ImageCms", "PIL._imagingcms",
    # what colours code for other programs: lexers alone are used
    "pygments.formatters", "pygments.styles",
    # ranking long lists at once: titles are compared one by one
    "rapidfuzz.process_cpp", "rapidfuzz.process_cpp_impl",
    # a second wcwidth, written in C: the command line measures a few hundred lines with it
    "wcwidth._wcwidth_c",
)  # fmt: skip

HIDDEN_MODULES = (
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",
    "sqlite3",
    "PIL.WebPImagePlugin",
    # the lexers of opentine_gui.describe.content.code
    "pygments.lexers.c_cpp",
    "pygments.lexers.configs",
    "pygments.lexers.css",
    "pygments.lexers.data",
    "pygments.lexers.dotnet",
    "pygments.lexers.go",
    "pygments.lexers.html",
    "pygments.lexers.javascript",
    "pygments.lexers.jvm",
    "pygments.lexers.make",
    "pygments.lexers.objective",
    "pygments.lexers.php",
    "pygments.lexers.python",
    "pygments.lexers.r",
    "pygments.lexers.ruby",
    "pygments.lexers.rust",
    "pygments.lexers.scripting",
    "pygments.lexers.shell",
    "pygments.lexers.sql",
)
"""Imported by names chosen at run time."""

SYSTEM_LIBRARIES = (
    # The system's graphics driver is loaded into the program and needs the system's own, newer versions of these.
    "libstdc++.so.*",
    "libgcc_s.so.*",
    "libX11.so.*",
    "libX11-xcb.so.*",
    "libXau.so.*",
    "libXdmcp.so.*",
    "libxcb.so.*",
    "libbsd.so.*",
    "libmd.so.*",
)
UNWANTED_LIBRARIES = ("*/libavif*", "rapidfuzz/*_avx2*")
"""No AVIF picture is ever shown, and ranking a few thousand titles needs no second build for newer processors."""
UNWANTED_DATA = ("*/tests/*", "*.pyi", "*.pxd", "*.h", "*.a", "*.dist-info/*")


def own_modules(root: Path) -> list[str]:
    """Dotted names of all modules of the package: the self-test imports every one by name."""
    package = root / "opentine_gui"
    paths = (path.relative_to(root).with_suffix("") for path in sorted(package.rglob("*.py")))
    return [".".join(path.parts[:-1] if path.name == "__init__" else path.parts) for path in paths]


def wanted_binary(target: str) -> bool:
    """Whether a library is bundled, by its path in the program ("numpy.libs/libgfortran-….so")."""
    name = PurePosixPath(target.replace("\\", "/"))
    if sys.platform == "linux" and any(fnmatch(str(name), pattern) for pattern in SYSTEM_LIBRARIES):
        return False
    return not any(fnmatch(str(name), pattern) for pattern in UNWANTED_LIBRARIES)


def wanted_data(target: str) -> bool:
    """Whether a data file is bundled, by its path in the program."""
    name = target.replace("\\", "/")
    return not any(fnmatch(name, pattern) for pattern in UNWANTED_DATA)


def data_files(root: Path) -> Iterator[tuple[Path, PurePosixPath]]:
    """(file of the clone, its place in the program): the package's assets, the demo runs, the icons by size.

    The wheel takes the same files by the table in pyproject.toml; a test compares the two.
    """
    package = root / "opentine_gui" / "assets"
    for path in sorted(package.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path, PurePosixPath("opentine_gui/assets", path.relative_to(package).as_posix())
    shipped = root / "assets"
    for path in sorted([*shipped.glob("icon-*.png"), *shipped.glob("demo/**/*.tine")]):
        yield path, PurePosixPath("opentine_gui/assets", path.relative_to(shipped).as_posix())


def without_symbols(source: Path, folder: Path) -> str:
    """A copy of a Linux library of Python's own without debug symbols, in `folder`; any other library as it is.

    Libraries out of wheels were patched after linking, and stripping may break those: they are left alone.
    """
    of_python = source.name.startswith("libpython") or "lib-dynload" in source.parts
    if sys.platform != "linux" or not of_python or shutil.which("strip") is None:
        return str(source)
    target = folder / source.name
    subprocess.run(["strip", "--strip-unneeded", "-o", str(target), str(source)], check=True)
    return str(target)
