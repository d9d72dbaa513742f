"""Runs early in the built program: `import numpy` there brings arrays, sorting and sums, and no linear algebra.

NumPy imports its linear algebra, its type aliases and the texts of its documentation with the first array. The program
multiplies no matrices, so the built one has neither LAPACK nor the modules around it; a test looks for uses. Nor has it
arrays of other libraries: what would ask every function's arguments whether they are such (NEP 18) is left out too.
"""

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

STANDING_IN = (
    "numpy.linalg",
    "numpy._typing",
    "numpy.typing",
    "numpy._core._add_newdocs",
    "numpy._core._add_newdocs_scalars",
    "numpy._core.overrides",
)
"""Modules that stay out of the build; what stands in for them is made here."""

ASKED_FOR = ("eigvals", "inv", "lstsq", "matrix_power")
"""What NumPy's own modules import from `numpy.linalg` at the start, and call in functions nobody here calls."""


def is_kept(module: str) -> bool:
    """Whether a module of numpy stays in the build; modules of others all do."""
    return not any(module == left_out or module.startswith(f"{left_out}.") for left_out in STANDING_IN)


class Alias:
    """Stands for a type alias: it can be subscripted, and means nothing when the program runs."""

    def __class_getitem__(cls, _item: object) -> type:
        return cls

    def __init_subclass__(cls) -> None:
        raise TypeError("an alias for the type checker is no class")


def left_out(name: str) -> object:
    """A function that says that it is not there."""

    def refuse(*_values: object, **_words: object) -> object:
        raise NotImplementedError(f"the built program's numpy has no linalg.{name}")

    return refuse


def as_it_is(*_about: object, **_more: object) -> Callable[[object], object]:
    """In place of `array_function_dispatch`: a function stays as it is written."""
    return lambda function: function


def the_given(function: object, *_about: object, **_more: object) -> Callable[[object], object]:
    """In place of `array_function_from_dispatcher`: the given function takes the place of the one below it."""
    return lambda _asks_others: function


class SmallNumPy:
    """Finds the modules of NumPy that are left out, and makes what stands in for them."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in STANDING_IN else None

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == "numpy.linalg":
            module.LinAlgError = type("LinAlgError", (ValueError,), {})
            vars(module).update({name: left_out(name) for name in ASKED_FOR})
        elif module.__name__ == "numpy._core.overrides":
            module.array_function_dispatch, module.array_function_from_dispatcher = as_it_is, the_given
            module.set_module = importlib.import_module("numpy._utils").set_module
            module.finalize_array_function_like = lambda function: function
        elif module.__name__ in ("numpy._typing", "numpy.typing"):
            vars(module).update(dict.fromkeys(("ArrayLike", "DTypeLike", "NDArray"), Alias))


if getattr(sys, "frozen", False):
    sys.meta_path.insert(0, SmallNumPy())
