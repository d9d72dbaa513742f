"""Syntax-coloured code with line numbers, by Pygments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from opentine_gui.describe.content.lines import (
    Lines,
    ListedLines,
    Pace,
    clean_text,
    code_hang,
    cut_lines,
    no_pace,
    text_lines,
)
from opentine_gui.scene.text.styled import Span, StyledLine, merged

MOST_COLOURED = 300_000
"""Most characters of code that is coloured; longer code is shown without colours."""
LONGEST_COLOURED = 2_000
"""Most characters of a line: code with a longer one is data or minified, and patterns may be slow on it."""
_SLICE = 1_000

LEXERS = {
    "bash": ("shell", "BashLexer"),
    "c": ("c_cpp", "CLexer"),
    "cpp": ("c_cpp", "CppLexer"),
    "csharp": ("dotnet", "CSharpLexer"),
    "css": ("css", "CssLexer"),
    "docker": ("configs", "DockerLexer"),
    "go": ("go", "GoLexer"),
    "html": ("html", "HtmlLexer"),
    "ini": ("configs", "IniLexer"),
    "java": ("jvm", "JavaLexer"),
    "javascript": ("javascript", "JavascriptLexer"),
    "json": ("data", "JsonLexer"),
    "kotlin": ("jvm", "KotlinLexer"),
    "lua": ("scripting", "LuaLexer"),
    "makefile": ("make", "MakefileLexer"),
    "php": ("php", "PhpLexer"),
    "powershell": ("shell", "PowerShellLexer"),
    "python": ("python", "PythonLexer"),
    "r": ("r", "SLexer"),
    "ruby": ("ruby", "RubyLexer"),
    "rust": ("rust", "RustLexer"),
    "scala": ("jvm", "ScalaLexer"),
    "sql": ("sql", "SqlLexer"),
    "swift": ("objective", "SwiftLexer"),
    "toml": ("configs", "TOMLLexer"),
    "typescript": ("javascript", "TypeScriptLexer"),
    "xml": ("html", "XmlLexer"),
    "yaml": ("data", "YamlLexer"),
}
"""Language to (module of pygments.lexers, class). Loaded by name: none of them is needed before there is code."""
NAMES = {
    "csharp": "C#", "cpp": "C++", "javascript": "JavaScript", "typescript": "TypeScript", "php": "PHP", "sql": "SQL",
    "html": "HTML", "css": "CSS", "xml": "XML", "json": "JSON", "yaml": "YAML", "toml": "TOML", "ini": "INI",
    "powershell": "PowerShell", "bash": "Shell",
}  # fmt: skip

_ROLES = (
    ("Token.Keyword.Constant", "number"),
    ("Token.Keyword.Type", "type"),
    ("Token.Keyword", "keyword"),
    ("Token.Name.Function", "function"),
    ("Token.Name.Class", "type"),
    ("Token.Name.Exception", "type"),
    ("Token.Name.Namespace", "type"),
    ("Token.Name.Decorator", "decorator"),
    ("Token.Name.Attribute", "function"),
    ("Token.Name.Builtin", "function"),
    ("Token.Name.Tag", "keyword"),
    ("Token.Name.Variable", "type"),
    ("Token.Literal.String.Escape", "number"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Comment", "comment"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Operator", "operator"),
    ("Token.Punctuation", "operator"),
)


def language_name(language: str) -> str:
    """The display name of a language."""
    return NAMES.get(language, language.capitalize())


def code_lines(text: str, language: str, pace: Pace = no_pace, numbers: Sequence[str] = ()) -> Lines:
    """The lines of recorded code with line numbers: counted from 1, or as given."""
    if len(text) > MOST_COLOURED:
        digits = len(str(text.count("\n") + 1))
        return text_lines(text, lambda line, number: _line((Span(line),), str(number + 1), digits), pace)
    rows = list(coloured(clean_text(text), language, pace))
    names = list(numbers) if len(numbers) >= len(rows) else [str(number + 1) for number in range(len(rows))]
    digits = max((len(name) for name in names), default=1)
    return ListedLines([_line(spans, name, digits) for spans, name in zip(rows, names, strict=False)])


def _line(spans: tuple[Span, ...], number: str, digits: int) -> StyledLine:
    hang = code_hang("".join(span.text for span in spans[:2]))
    return StyledLine(spans if spans and spans[0].text else (), hang=hang, number=number, digits=digits)


def coloured(text: str, language: str, pace: Pace = no_pace) -> Iterator[tuple[Span, ...]]:
    """The spans of each line of a cleaned text."""
    lexer = _lexer(language)
    rows = text.split("\n")
    if lexer is None or len(text) > MOST_COLOURED or max(map(len, rows)) > LONGEST_COLOURED:
        for piece, _ in cut_lines(text):
            yield (Span(piece),)
        return
    spans: list[Span] = []
    for number, (_, token, value) in enumerate(lexer.get_tokens_unprocessed(text)):
        if number % _SLICE == 0:
            pace()
        role = role_of(str(token))
        first, *others = value.split("\n")
        spans.append(Span(first, role))
        for other in others:
            yield merged(spans)
            spans = [Span(other, role)]
    yield merged(spans)


def role_of(token: str) -> str:
    """The role of a Pygments token by its dotted name; "text" for what needs no colour."""
    role = _known_roles.get(token)
    if role is None:
        role = next((role for prefix, role in _ROLES if token.startswith(prefix)), "text")
        _known_roles[token] = role
    return role


_known_roles: dict[str, str] = {}
_lexers: dict[str, Any] = {}


def _lexer(language: str) -> Any:
    if language not in LEXERS:
        return None
    if language not in _lexers:
        module, name = LEXERS[language]
        _lexers[language] = getattr(import_module(f"pygments.lexers.{module}"), name)()
    return _lexers[language]
