"""Runs first in the built program: what our modules would compile when they are imported was compiled at the build.

Python writes the methods of every data class and of every named tuple as text and compiles them each time; and it
compiles every pattern of a regular expression. Together that was a third of what the imports took.
`python ready_code.py FILE` imports every module of ours and keeps what was compiled by its text, so that a text that is
not there is compiled as ever. A class without a docstring (the built program has none) is also spared the signature
that Python would make into one.
"""

import builtins
import collections
import dataclasses
import importlib
import inspect
import marshal
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

FILE = "ready.bin"
"""What is ready, in the built program's folder; written and read by the same Python."""

Names = dict[str, Any]
Execute = Callable[..., Any]
PLACES = {"exec": dataclasses, "eval": collections}
"""In which module Python compiles texts, by the function it calls for that."""

_engine: Any = re._compiler._sre  # type: ignore[attr-defined]
_compile_pattern: Execute = re._compiler.compile  # type: ignore[attr-defined]


def recording(function: str, found: dict[str, CodeType]) -> Execute:
    """In place of `exec` or `eval` in a module: does the same, and keeps in `found` what it compiled."""

    def execute(text: str, *names: Names) -> Any:
        found[text] = compile(text, "<ready>", function)
        return getattr(builtins, function)(found[text], *names)

    return execute


def remembering(function: str, ready: Mapping[str, CodeType]) -> Execute:
    """In place of `exec` or `eval` in a module: takes what is ready."""
    original = getattr(builtins, function)

    def execute(text: str, *names: Names) -> Any:
        return original(ready.get(text, text), *names)

    return execute


class Engine:
    """In place of the engine of regular expressions while it is recorded: keeps what a pattern was compiled to."""

    def __init__(self, found: dict[tuple[str | bytes, int], tuple[Any, ...]]) -> None:
        self.found = found

    def __getattr__(self, name: str) -> Any:
        return getattr(_engine, name)

    def recorded(self, pattern: Any, flags: int = 0) -> Any:
        """Compile as ever; a pattern that was taken apart before is not kept."""
        before = re._compiler._sre  # type: ignore[attr-defined]
        given: list[tuple[Any, ...]] = []
        self.compile = lambda text, *parts: (given.append(parts), _engine.compile(text, *parts))[1]
        re._compiler._sre = self  # type: ignore[attr-defined]
        try:
            return _compile_pattern(pattern, flags)
        finally:
            re._compiler._sre = before  # type: ignore[attr-defined]
            if isinstance(pattern, str | bytes) and given:
                compiled_flags, code, *groups = given[0]
                self.found[pattern, int(flags)] = (int(compiled_flags), [int(word) for word in code], *groups)


def known_pattern(ready: Mapping[tuple[str | bytes, int], tuple[Any, ...]]) -> Execute:
    """In place of the compiler of regular expressions: takes what is ready."""

    def compiled(pattern: Any, flags: int = 0) -> Any:
        parts = ready.get((pattern, flags)) if isinstance(pattern, str | bytes) else None
        return _compile_pattern(pattern, flags) if parts is None else _engine.compile(pattern, *parts)

    return compiled


def without_signature(whole: ModuleType) -> ModuleType:
    """`inspect` for the module of data classes, which asks it for signatures to put into docstrings."""
    module = ModuleType(whole.__name__)
    vars(module).update(signature=lambda *_values, **_words: "", __getattr__=lambda name: getattr(whole, name))
    return module


def record(modules: Iterable[str]) -> bytes:
    """Import modules, each new; what was compiled meanwhile."""
    found: dict[str, dict[Any, Any]] = {"patterns": {}, **{function: {} for function in PLACES}}
    for function, place in PLACES.items():
        setattr(place, function, recording(function, found[function]))
    re._compiler.compile = Engine(found["patterns"]).recorded  # type: ignore[attr-defined]
    try:
        for name in modules:
            importlib.import_module(name)
    finally:
        for function, place in PLACES.items():
            delattr(place, function)
        re._compiler.compile = _compile_pattern  # type: ignore[attr-defined]
    return marshal.dumps(found)


def use(file: Path) -> None:
    """Take from now on what a file holds that `record` filled."""
    ready = marshal.loads(file.read_bytes())
    for function, place in PLACES.items():
        setattr(place, function, remembering(function, ready[function]))
    re._compiler.compile = known_pattern(ready["patterns"])  # type: ignore[attr-defined]
    dataclasses.inspect = without_signature(inspect)  # type: ignore[attr-defined]


if getattr(sys, "frozen", False):
    use(Path(sys._MEIPASS, FILE))  # type: ignore[attr-defined]
elif __name__ == "__main__":
    root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(root), str(root / "packaging")]
    import contents

    Path(sys.argv[1]).write_bytes(record(name for name in contents.own_modules(root) if not name.endswith("__main__")))
