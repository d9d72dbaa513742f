"""The documents are true: docs/FORMAT.md says what the code does, and what the others name is there."""

from __future__ import annotations

import hashlib
import json
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

from docs.write_pages import PAGES
from opentine_gui.core import decode, encode, fork, step_id, verify
from opentine_gui.core.files.digest import DigestVerdict
from opentine_gui.core.files.fields import KNOWN_KEYS
from opentine_gui.core.format import checks, container
from opentine_gui.core.format.canonical import canonical
from opentine_gui.core.graph import step_record
from opentine_gui.core.model import TOKEN_FIELDS, V3_KINDS, RunStatus, Step, StepKind

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "opentine_gui"
CODE = sorted(PACKAGE.rglob("*.py"))
FORMAT = (ROOT / "docs" / "FORMAT.md").read_text(encoding="utf-8")
MENTION = re.compile(r"docs/FORMAT\.md,\s+sections?\s+((?:\d+(?:\.\d+)?(?:,\s+|\s+and\s+)?)+)")
HASH = re.compile(r"\b[0-9a-f]{64}\b")
MOST_WORDS = 1200
"""Words of ARCHITECTURE.md: what is longer belongs in the docstring of a module, or in bench/README.md."""
DOCUMENTS = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "bench/README.md",
    "docs/IMPORT.md",
    "docs/JSON.md",
    "docs/FAQ.md",
    "docs/TUTORIAL.md",
)


def mentions() -> list[tuple[str, str]]:
    """(file, section) for every place in the code that points at a section."""
    return [
        (path.relative_to(ROOT).as_posix(), number)
        for room in ("opentine_gui", "tests", "bench", "packaging")
        for path in sorted((ROOT / room).rglob("*.py"))
        for found in MENTION.finditer(path.read_text(encoding="utf-8"))
        for number in re.findall(r"\d+(?:\.\d+)?", found[1])
    ]


def section(number: str) -> str:
    """The text of a section up to the next heading of its level or above; "" when there is none."""
    level = 2 + number.count(".")
    dot = "" if "." in number else r"\."
    heading = rf"^{'#' * level} {re.escape(number)}{dot} .*?(?=^#{{2,{level}}} |\Z)"
    found = re.search(heading, FORMAT, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def block(number: str) -> Any:
    """The JSON in the first code block of a section."""
    return json.loads(section(number).split("```json\n")[1].split("```")[0])


def names(text: str) -> set[str]:
    """The words in the first column of the tables in a text."""
    return {name for row in re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}


def named_in(document: str) -> set[str]:
    """Files and modules that a document links to or names in backticks, as paths or with dots."""
    path = ROOT / document
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    rooms = "|".join(entry.stem for entry in (ROOT / "opentine_gui").iterdir())
    found = re.findall(rf"`((?:{rooms})(?:\.\w+)+|[\w.]+/[\w./-]*|[\w-]+\.(?:md|toml))`", text)
    links = [path.parent / link for link in re.findall(r"\]\((?!https?:)([^)#]+)", text)]
    return {*found, *(link.resolve().relative_to(ROOT).as_posix() for link in links)}


def is_there(name: str) -> bool:
    """Whether a file, folder or module of this name stands at the root or in the package."""
    paths = [place / path for place in (ROOT, ROOT / "opentine_gui") for path in (name, name.replace(".", "/"))]
    return any(path.exists() or path.with_name(f"{path.name}.py").exists() for path in paths)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_a_document_names_is_there(document: str) -> None:
    names = {name for name in named_in(document) if not name.startswith("build/")}  # what a run makes
    assert names
    assert sorted(name for name in names if not is_there(name)) == []
    assert not is_there("core/no_such_module.py")


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_class_a_document_names_is_there(document: str) -> None:
    text = re.sub(r"^```.*?^```", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    named = {name for code in re.findall(r"`([^`]+)`", text) for name in re.findall(r"\b[A-Z][a-z]\w*", code)}
    classes = {name for path in CODE for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.M)}
    assert named
    assert sorted(named - classes) == []


def test_every_dotted_name_in_backticks_in_the_code_is_there() -> None:
    rooms = "|".join(entry.stem for entry in PACKAGE.iterdir() if entry.is_dir() and entry.name[0] != "_")
    found = {
        name for path in CODE for name in re.findall(rf"`((?:{rooms})(?:\.\w+)+)`", path.read_text(encoding="utf-8"))
    }
    assert len(found) > 5
    for name in sorted(found):
        pkgutil.resolve_name(f"opentine_gui.{name}")


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_that_are_made_from_the_program_are_those_it_would_make_now(page: str) -> None:
    assert (ROOT / "docs" / page).read_text(encoding="utf-8") == PAGES[page](), "run `make pages`, and commit it"


def test_the_architecture_fits_on_a_page() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split()) <= MOST_WORDS


def test_every_section_the_code_points_at_exists() -> None:
    found = mentions()
    assert len(found) > 50
    assert [mention for mention in found if not section(mention[1])] == []


def test_every_section_the_document_points_at_exists() -> None:
    pointed = re.findall(r"\b[Ss]ection (\d+(?:\.\d+)?)|\((\d\.\d)\)", FORMAT)
    assert pointed
    assert [number for pair in pointed if not section(number := pair[0] or pair[1])] == []


def test_no_line_is_longer_than_one_of_the_code() -> None:
    assert [line for line in FORMAT.splitlines() if len(line) > 120] == []


def test_the_tables_name_every_key_the_reader_knows_and_no_other() -> None:
    assert names(section("3.1")) == KNOWN_KEYS
    assert names(section("3.2")) == {*Step.__struct_fields__, "parent_id"} - {"extra"}


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("3.1", [status.value for status in RunStatus]),
        ("3.2", [*(kind.value for kind in StepKind), *V3_KINDS]),
        ("3.6", [*sorted(TOKEN_FIELDS), "usage.total"]),
    ],
)
def test_every_fixed_word_is_in_its_section(number: str, words: list[str]) -> None:
    assert [word for word in words if f"`{word}`" not in section(number)] == []


def test_every_limit_is_the_one_in_the_code() -> None:
    said = re.findall(r"^\| .* \| ([\d,]+) \| `(\w+)` \|$", section("14"), re.MULTILINE)
    limits = {name: int(value.replace(",", "")) for value, name in said}
    in_code = {
        name: value
        for module in (container, checks)
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, int) and not name.endswith("_LEVEL")
    }
    assert limits == {**in_code, "LARGEST_EXACT": step_record.LARGEST_EXACT}


def test_compression_is_described_as_it_is_done() -> None:
    written = " ".join(section("13").split())
    assert f"zlib at level {container.ZLIB_LEVEL} or zstd at level {container.ZSTD_LEVEL}" in written
    assert f"shorter than {container.SMALLEST_WRAPPED} bytes" in written
    assert f"more than {container.MAXIMUM_RATIO:,} times" in written


def test_the_whole_file_of_the_document_verifies() -> None:
    found = verify(decode(json.dumps(block("16")).encode()))
    assert found.ok
    assert found.digest.verdict is DigestVerdict.OK
    assert found.still_standing == found.ids
    assert len(found.ids) == 2


def test_the_examples_of_a_step_id_give_that_id() -> None:
    content = block("5")
    (identity,) = HASH.findall(section("5"))
    assert hashlib.sha256(canonical(content)).hexdigest() == identity
    assert step_id(**content) == identity
    assert identity in block("16")["graph"]["order"]
    lines = section("5").split("```json\n")[1].split("```")[0].splitlines()
    assert "".join(lines) == canonical(content).decode()


def test_the_example_of_a_fork_gives_its_record_and_run_id() -> None:
    source = decode(json.dumps(block("16")).encode())
    child = fork(source, source.roots[0], now=0.0, nonce="")
    assert child.metadata["fork"] == block("9")
    assert child.run_id in section("9")
    assert set(block("9")) == names(section("9").split("| key | value |")[1])


def test_the_flat_example_has_the_id_it_is_said_to_have_and_is_migrated() -> None:
    flat = block("2")
    (step,) = flat["steps"]
    hashed = re.search(r'`(\{"k":"think".*?\})`', section("2"))
    assert hashed is not None
    assert hashlib.sha256(hashed[1].encode()).hexdigest()[:12] == step["id"]
    record = decode(json.dumps(flat).encode())
    assert record.source_format == "0"
    assert record.legacy_ids == {step["id"]: step_id("think", step["inputs"])}
    notes = record.metadata["migration"]
    assert [f'"note": "{note["note"]}"' in section("8") for note in notes if "note" in note] == [True]


def test_the_canonical_spellings_in_the_table_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `(.+?)` \| `(.+?)` \| \| `(.+?)` \| `(.+?)` \|$", section("4"), re.MULTILINE)
    pairs = [pair for row in rows for pair in (row[:2], row[2:])]
    assert len(pairs) == 8
    assert [(text, canonical(json.loads(text)).decode()) for text, _ in pairs] == pairs


def test_the_container_begins_as_the_document_says() -> None:
    text = encode(decode(json.dumps(block("16")).encode()))
    wrapped = container.wrap(text, "zlib")
    said = " ".join(section("13").split())
    assert f"has {len(text):,} bytes" in said
    assert f"`{wrapped[:10].hex(' ')}`" in said
    assert f"`{container.MAGIC.hex(' ')}`" in said
