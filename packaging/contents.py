"""What goes into the built program and what stays out: modules, libraries, data files. Used by opentine_gui.spec."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

import blas

EXCLUDED_MODULES = (
    # windows of others, test frameworks, and what makes packages
    "tkinter", "_tkinter", "unittest", "doctest", "pydoc", "pdb", "lib2to3", "distutils", "setuptools", "pkg_resources",
    "pip", "pytest", "_pytest", "hypothesis", "mypy", "IPython",
    # the network, which has no use here (`_socket` and `multiprocessing` stay: the pipe to the running window)
    "ssl", "_ssl", "asyncio", "anyio", "http.server", "ftplib", "smtplib", "xmlrpc",
    # formats and stores nothing here is kept in (XML is written, as SVG and GraphML)
    "sqlite3", "_sqlite3", "dbm", "curses", "tarfile", "xml.dom",
    # NumPy beyond arrays and linear algebra
    "numpy.f2py", "numpy.testing", "numpy.distutils", "numpy.random", "numpy.fft", "numpy.polynomial",
    "numpy.ctypeslib", "numpy.ma", "numpy.linalg.lapack_lite", "numpy.linalg._umath_linalg",
    "numpy._core._multiarray_tests", "numpy._core.tests", "numpy._pyinstaller",
    # what NetworkX can work with and does not need
    "matplotlib", "scipy", "pandas", "pygraphviz", "pydot", "sympy", "lxml",
    # formats of pictures that are never read or written
    "PIL._avif", "PIL._webp", "PIL._imagingcms", "PIL._imagingtk", "PIL._imagingmath", "PIL._imagingmorph",
    "PIL.ImageTk", "PIL.ImageQt", "PIL.ImageShow", "PIL.ImageGrab", "PIL.AvifImagePlugin", "PIL.WebPImagePlugin",
    # typed text formats msgspec offers
    "yaml", "tomli_w", "attrs", "attr", "pydantic", "typing_extensions",
)  # fmt: skip

FIRST_MODULES = ("later", "ready_code", "small_watchfiles", "small_networkx", "small_numpy")
"""Modules of this folder that run before the program, in this order; PyInstaller gives them one namespace."""

UNWANTED_SCRIPTS = ("pyi_rth_inspect", "pyi_rth_pkgutil", "pyi_rth_multiprocessing")
"""Scripts of PyInstaller that run before the program: for finding sources, listing modules and starting processes,
none of which it does, while they import what it does not need."""

HIDDEN_MODULES = ("compression.zstd",) if sys.version_info >= (3, 14) else ("backports.zstd",)
"""Imported by a name that is chosen when the program runs."""

SYSTEM_LIBRARIES = (
    # A graphics driver of the system is loaded into the program and needs the system's own, newer ones of these.
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
UNWANTED_LIBRARIES = (
    "*/libwebp*",
    "*/libavif*",
    "*/liblcms2*",
    "libsqlite3.so.*",
)
UNWANTED_DATA = (
    "*/tests/*",
    "*/LICENSES_bundled.txt",
    "*.pyi",
    "*.pxd",
    "*.h",
    "*.a",
    "dearpygui/*.pyi",
    "*.dist-info/*",
)


def own_modules(root: Path) -> list[str]:
    """Every module of the package by its dotted name: some are imported by a name that is chosen at run time."""
    package = root / "opentine_gui"
    paths = (path.relative_to(root).with_suffix("") for path in sorted(package.rglob("*.py")))
    return [".".join(path.parts[:-1] if path.name == "__init__" else path.parts) for path in paths]


def wanted_binary(target: str) -> bool:
    """Whether a library stays in, by its place in the program ("numpy.libs/libgfortran-….so")."""
    name = PurePosixPath(target.replace("\\", "/"))
    if sys.platform == "linux" and any(fnmatch(str(name), pattern) for pattern in SYSTEM_LIBRARIES):
        return False
    return not any(fnmatch(str(name), pattern) for pattern in UNWANTED_LIBRARIES)


def wanted_data(target: str) -> bool:
    """Whether a data file stays in, by its place in the program."""
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


Entry = tuple[str, str, str]
"""(place in the program, file or target of a link, kind), as PyInstaller lists them."""


def with_small_blas(entries: list[Entry], folder: Path) -> list[Entry]:
    """The libraries with the small stand-in for OpenBLAS, made in `folder`; as they are where it cannot be made."""
    core = next((source for target, source, _ in entries if "_multiarray_umath" in target), None)
    name_of = {entry: PurePosixPath(entry[0].replace("\\", "/")).name for entry in entries}
    large = next((e for e in entries if name_of[e].startswith(blas.BEGINS_WITH) and e[2] != "SYMLINK"), None)
    small = blas.small_library(Path(large[1]), Path(core), folder) if core and large else None
    if small is None or large is None:
        return entries
    kept = [entry for entry in entries if not name_of[entry].startswith(blas.COMPANIONS)]
    return [(entry[0], str(small), entry[2]) if entry == large else entry for entry in kept]
