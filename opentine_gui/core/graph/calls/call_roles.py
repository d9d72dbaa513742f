"""What a tool call is for and what it is about, from the tool's name and main argument alone.

A step's role decides how a run is split into phases. Its object is the file it touches or the command it runs;
repetitions are recognised by it. Results are never read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple, TypeVar

import msgspec

from opentine_gui.core.graph.calls.shell_line import PREPARING, RUNNERS, TESTING, commands, decoded_arguments
from opentine_gui.core.progress import batches


class Role(IntEnum):
    """What a call is for."""

    LOOK = 0
    EDIT = 1
    RUN = 2
    TEST = 3
    SAVE = 4
    PLAN = 5
    DELEGATE = 6
    ASK = 7


class Call(NamedTuple):
    """A tool call: the tool, what it is for, and what it is about (a path or a command's first words; "" if unknown).

    `path` is the file as the call spells it, `command` a shell's command line; each is "" if there is none.
    """

    tool: str
    role: Role
    about: str
    path: str = ""
    command: str = ""


ARGUMENT_KEYS = ("arguments", "args", "parameters", "params", "kwargs", "input", "tool_input")
NAME_KEYS = ("name", "tool", "tool_name", "function")
PATH_KEYS = ("file_path", "path", "notebook_path", "filename", "file", "filepath", "filePath", "target_file", "uri")
COMMAND_KEYS = ("command", "cmd", "script", "code", "input")
QUERY_KEYS = ("query", "pattern", "q", "url", "question", "description", "prompt")
LONGEST_ABOUT = 80


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A tool's name is split into lower-case words; the first row that contains one of them decides.
_TOOL_WORDS: tuple[tuple[Role, frozenset[str]], ...] = (
    (Role.PLAN, _words("todo todowrite todoread todos plan planner planning checklist topic intent")),
    (Role.DELEGATE, _words("task agent subagent delegate spawn handoff dispatch taskoutput agentoutput")),
    (Role.ASK, _words("ask question askuserquestion confirm approval elicit")),
    (Role.EDIT, _words(
        "edit write multiedit notebookedit patch replace create insert delete rename move append update modify")),
    (Role.TEST, _words("test tests pytest lint linter typecheck check verify diagnostics")),
    (Role.SAVE, _words("commit push publish deploy")),
    (Role.LOOK, _words(
        "read view open cat ls list glob grep search find fetch get browse lookup websearch webfetch toolsearch "
        "scroll screenshot show query notebookread think")),
)  # fmt: skip
_SHELLS = _words(
    "bash shell sh zsh terminal exec powershell local_shell run_shell_command execute_bash shell_command exec_command "
    "run_command run_terminal_cmd execute_command run_in_terminal"
)
_LOOKING = _words(
    "cat ls head tail less more grep egrep fgrep rg ag find fd tree pwd stat file wc which type du df jq yq awk "
    "sort uniq diff cmp env printenv ps man column bat nl hexdump xxd strings readlink realpath basename date "
    "get-content get-childitem get-item select-string test-path search_dir search_file find_file"
)
_PATCHING = ("apply_patch", "applypatch")
_EDITING = _words(
    "mkdir rm mv cp touch tee ln chmod patch rmdir install dd truncate edit set-content add-content remove-item "
    "new-item move-item copy-item"
)
_TEST_WORDS = _words("test tests check lint typecheck vet clippy build pytest e2e spec verify type-check")
_EDITOR_COMMANDS = {
    "view": Role.LOOK, "create": Role.EDIT, "str_replace": Role.EDIT, "insert": Role.EDIT, "undo_edit": Role.EDIT,
}  # fmt: skip
"""What an editor's call does, where one tool shows files and changes them."""
_INTERPRETERS = _words("python python3 node ruby deno bun php")
_WRITTEN_IN_LINE = ("-c", "-e")
"""Options of an interpreter before a program that is in the command line itself."""
_SAVING = _words("commit push merge tag")
_LOOKING_GIT = _words("status log diff show branch blame remote rev-parse ls-files describe fetch grep")
_LOOKING_GH = _words("view list status diff checks")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PARTS = re.compile(r"[^A-Za-z0-9]+")

_roles_of_tools: dict[str, Role | None] = {}


class _Called(msgspec.Struct, gc=False):
    inputs: Any = None
    tool_info: Any = None


_decoder = msgspec.json.Decoder(list[_Called])
_Decoded = TypeVar("_Decoded")


def call_in(raw: bytes | msgspec.Raw) -> Call:
    """The call of a tool step in its stored record; a call without a name is `Call("", Role.RUN, "")`."""
    return next(calls_in([raw]))


def calls_in(raws: Sequence[bytes | msgspec.Raw]) -> Iterator[Call]:
    """`call_in` for many records at once."""
    for found in decoded_each(raws, _decoder):
        if found is None:
            yield Call("", Role.RUN, "")
            continue
        inputs = found.inputs if isinstance(found.inputs, dict) else {}
        yield call_of(inputs, found.tool_info if isinstance(found.tool_info, dict) else {})


def decoded_each(
    raws: Sequence[bytes | msgspec.Raw], decoder: msgspec.json.Decoder[list[_Decoded]]
) -> Iterator[_Decoded | None]:
    """Decode many records at a time; None for each that cannot be decoded."""
    for part in batches(raws):
        try:
            yield from decoder.decode(b"[" + b",".join(raws[part]) + b"]")
        except (msgspec.MsgspecError, RecursionError):
            for raw in raws[part]:
                try:
                    found: _Decoded | None = decoder.decode(b"[" + raw + b"]")[0]
                except (msgspec.MsgspecError, RecursionError):
                    found = None
                yield found


def call_of(inputs: Mapping[str, Any], tool_info: Mapping[str, Any] | None = None) -> Call:
    """The call with these recorded inputs (a name and arguments) and tool information."""
    tool = _name(inputs) or _name(tool_info or {})
    arguments: Any = None
    for key in ARGUMENT_KEYS:
        arguments = inputs.get(key)
        if arguments:
            break
    else:
        function = inputs.get("function")  # a name and arguments of its own, as models ask for calls
        arguments = function.get("arguments") if isinstance(function, dict) else None
    if isinstance(arguments, str):
        opened = decoded_arguments(arguments)
        arguments = arguments if opened is None else opened
    if arguments is None:
        arguments = inputs
    return classified(tool, arguments)


def classified(tool: str, arguments: Any) -> Call:
    """The call of a tool with these arguments: an object, or the one text it was given."""
    role = role_of_tool(tool)
    if not isinstance(arguments, dict):  # an isinstance check against an abstract class takes ten times as long
        text = arguments if isinstance(arguments, str) else ""
        if role is None and tool.lower() in _SHELLS:
            return _shell(tool, text)
        if text.startswith("*** Begin Patch"):
            path = _patched(text)
            return Call(tool, Role.EDIT, _file_name(path), path)
        return Call(tool, Role.RUN if role is None else role, _short(text))
    path = _first_text(arguments, PATH_KEYS)
    if path and "command" in arguments:
        told = arguments["command"]
        role = _EDITOR_COMMANDS.get(told, role) if isinstance(told, str) else role
    if role is None:
        command = _command(arguments)
        if command and not path:
            return _shell(tool, command)
        role = Role.RUN
    if not path and tool.lower() == "apply_patch":
        text = next((value for value in arguments.values() if isinstance(value, str)), "")
        path = _patched(text)
    if path:
        return Call(tool, role, _file_name(path), path)
    return Call(tool, role, _short(_first_text(arguments, QUERY_KEYS)))


def _first_text(arguments: Mapping[str, Any], keys: Sequence[str]) -> str:
    for key in keys:
        if key in arguments:
            found = arguments[key]
            if found and isinstance(found, str):
                return found
    return ""


def role_of_tool(tool: str) -> Role | None:
    """What a tool is for, judged by its name; None for shells and for names that say nothing."""
    known = _roles_of_tools.get(tool, -1)
    if known != -1:
        return known  # type: ignore[return-value]
    role: Role | None = None
    if tool.lower() not in _SHELLS:
        words = [word.lower() for word in _PARTS.split(_CAMEL.sub(" ", tool)) if word]
        words.append(tool.lower())
        role = next((role for role, known in _TOOL_WORDS if any(word in known for word in words)), None)
    if len(_roles_of_tools) > 2_000:
        _roles_of_tools.clear()
    _roles_of_tools[tool] = role
    return role


def plain_command(command: str) -> list[str]:
    """The words of the command that matters in a command line: without `cd …`, assignments and wrappers.

    In a sequence, the first command that is not in `PREPARING` counts, or the first one if all are. Here-documents are
    cut off.
    """
    last: list[str] = []
    for _, words in commands(command):
        if words and words[0] in PREPARING:
            last = last or words
        elif words:
            return words
    return last


def _shell(tool: str, command: str) -> Call:
    words = plain_command(command)
    if not words:
        return Call(tool, Role.RUN, "", "", command)
    name = words[0].rsplit("/", 1)[-1]
    arguments = [word for word in words[1:] if not word.startswith(("-", "<", ">"))]
    second = arguments[0] if arguments else ""
    role, about = Role.RUN, _short(f"{name} {second}".strip())
    known = name if name in _LOOKING or name in _EDITING else name.lower()  # PowerShell's commands begin with capitals
    if name in _PATCHING:
        path = _patched(command)
        return Call(tool, Role.EDIT, _file_name(path) or name, path, command)
    if name in ("git", "gh", "jj", "hg"):
        verbs = [word for word in arguments if word in _SAVING | _LOOKING_GIT | _LOOKING_GH or name == "gh"][:2]
        about = " ".join((name, *(verbs or arguments[:1])))[:LONGEST_ABOUT]
        if any(verb in _SAVING for verb in verbs[:1]) or (name == "gh" and verbs[1:2] == ["create"]):
            role = Role.SAVE
        elif set(verbs) & (_LOOKING_GIT if name != "gh" else _LOOKING_GH):
            role = Role.LOOK
    elif name in ("sed", "perl"):
        in_place = any(word.startswith("-") and "i" in word[:4] for word in words[1:3])
        role = Role.EDIT if in_place else Role.LOOK
        about = _last_file(arguments) or about
    elif known in _LOOKING:
        # `cat > file` writes
        writes = ">" in words or any(word.startswith(">") and not word.startswith(">&") for word in words)
        role = Role.EDIT if writes and name in ("cat", "echo", "printf") else Role.LOOK
        about = _last_file(arguments) or about
    elif known in _EDITING:
        role, about = Role.EDIT, _last_file(arguments) or about
    elif name in TESTING:
        role, about = Role.TEST, name
    elif name in ("curl", "wget"):
        address = next((word for word in arguments if "://" in word), second)
        about = _short(f"{name} {address}").replace('"', "").replace("'", "").strip()
    elif name in RUNNERS:
        if second in ("run", "exec") and len(arguments) > 1:  # in "npm run build", `run` says nothing
            about = _short(f"{name} {second} {arguments[1]}")
        heads = {part for word in words[1:5] for part in re.split(r"[:/.]", word.lstrip("-"))}
        if heads & _TEST_WORDS or heads & TESTING:
            role = Role.TEST
    in_line = next((word for word in words[1:4] if word in _WRITTEN_IN_LINE), "")
    if in_line and name in _INTERPRETERS:  # the first word of a program in quotes says nothing
        about = f"{name} {in_line}"
    return Call(tool, role, about, "", command)


def _command(arguments: Mapping[str, Any]) -> str:
    for key in COMMAND_KEYS:
        if key not in arguments:  # most of 100,000 calls have none of these keys
            continue
        found = arguments[key]
        if isinstance(found, str) and found:
            return found
        if isinstance(found, list) and found and all(isinstance(word, str) for word in found):
            # `bash -lc LINE` runs the line
            return str(found[-1]) if len(found) > 2 and found[1] in ("-c", "-lc") else " ".join(found)
    return ""


def _name(source: Mapping[str, Any]) -> str:
    for key in NAME_KEYS:
        if key not in source:
            continue
        found = source[key]
        if isinstance(found, dict):
            found = found.get("name")
        if isinstance(found, str) and found.strip():
            return found.strip()[:60]
    return ""


def _patched(text: str) -> str:
    found = re.search(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", text[:20_000], re.MULTILINE)
    return found[1].strip() if found else ""


def _file_name(path: str) -> str:
    return path.rstrip("/\\").replace("\\", "/").rsplit("/", 1)[-1][:LONGEST_ABOUT]


def _last_file(arguments: Sequence[str]) -> str:
    named = [word for word in arguments if ("." in word or "/" in word) and not set("|<>*") & set(word)]
    return _file_name(named[-1].strip("'\"")) if named else ""


def _short(text: str) -> str:
    return " ".join(text[: LONGEST_ABOUT * 2].split())[:LONGEST_ABOUT]
