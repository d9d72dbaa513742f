"""Reads mutated session logs of other programs: lines, documents and databases of every format of the table."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from random import Random

from opentine_gui.core import TineError, encode, verify
from opentine_gui.core.files import storage
from opentine_gui.importers import readers
from tests.attack.campaign import Attack, Campaign
from tests.attack.children import attack_in_children
from tests.attack.files.mutations import BYTE_MUTATIONS, VALUE_MUTATIONS, flip_bit

LINES = 40
"""Most lines of a file that are mutated at once."""
SOME = (1, LINES // 2 - 1, LINES)
"""So many are: 20 on average, which makes 600,000 lines of 30,000 files."""
LARGEST = 240_000
RECORDINGS = Path("tests/data/recordings")
ENDINGS = (".jsonl", ".json", ".db", ".sqlite", ".eval", ".ndjson")


def samples() -> list[tuple[str, str, bytes]]:
    """(format, name, bytes) of our own recordings that a reader of the table recognises."""
    found = []
    for path in sorted(RECORDINGS.rglob("*")):
        if not path.is_file() or not path.name.endswith(ENDINGS) or not 0 < path.stat().st_size <= LARGEST:
            continue
        data = path.read_bytes()
        reader = readers.reader_of(path.name, data[: readers.HEAD])
        if reader is not readers.TINE:
            found.append((reader.name, path.name, data))
    return found


def run(campaign: Campaign) -> None:
    """Each try is one file with up to `LINES` mutated lines; every format gets as many."""
    by_format: dict[str, list[tuple[str, bytes]]] = {}
    for form, name, data in samples():
        by_format.setdefault(form, []).append((name, data))
    if not by_format:
        campaign.notes.append("no recording is recognised by a reader")
        return
    for name, data in (pool[0] for pool in by_format.values()):
        read_through(campaign.folder / f"warm-{name}", data)
    attack_in_children(campaign, partial(_one, campaign.seed, campaign.folder, by_format), campaign.full, bound=5.0)
    campaign.notes.append(", ".join(by_format))
    campaign.worst_what += f"; {len(by_format)} formats, up to {LINES} mutated lines a try"


def _one(seed: int, folder: Path, by_format: dict[str, list[tuple[str, bytes]]], number: int) -> list[str]:
    random = Random(f"{seed} {number}")
    form = list(by_format)[number % len(by_format)]
    name, data = random.choice(by_format[form])
    wrong = read_through(folder / f"{number % 64}-{name}"[-200:], mutated(data, random))
    return [f"{form}: {sentence}" for sentence in wrong]


def mutated(data: bytes, random: Random) -> bytes:
    """The file with some of its lines mutated, left out, doubled or in another order; a database with other bytes."""
    if data.startswith((b"SQLite", b"PK")):
        for _ in range(random.choice((1, 3, LINES))):
            data = flip_bit(data, random)
        return data
    lines = data.split(b"\n")
    for _ in range(random.choice(SOME)):
        place = random.randrange(len(lines))
        line = lines[place]
        match random.randrange(10):
            case 0:
                lines[place] = random.choice(lines)
            case 1:
                lines.insert(place, line)
            case 2:
                lines[place] = random.choice(BYTE_MUTATIONS)(line, random)
            case _:
                lines[place] = _mutated_json(line, random)
    return b"\n".join(lines)


def _mutated_json(line: bytes, random: Random) -> bytes:
    try:
        value = random.choice(VALUE_MUTATIONS)(json.loads(line), random)
        return json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return random.choice(BYTE_MUTATIONS)(line, random)


def read_through(path: Path, data: bytes) -> list[str]:
    """Read a file, as listed and as opened; what is read can be written, read again and verified."""
    path.write_bytes(data)
    try:
        readers.read_overview_of(path)
        reading = readers.read_source(path)
    except TineError as error:
        path.unlink()
        return [] if str(path) in str(error) else [f"an error does not name the file: {error!r}"]
    path.unlink()
    try:
        again = storage.reader.decode(encode(reading.record))
    except TineError as error:
        return [f"what was read cannot be written: {error.message}"]
    wrong = []
    if again.graph.ids != reading.record.graph.ids:
        wrong.append("written and read again, it has other steps")
    if verify(again).mismatches:
        wrong.append("steps that were made here do not give their ids")
    return wrong


ATTACK = Attack(
    "importers", "a damaged session log is read as far as it goes, or a sentence says why not", run, 1.5, 30_000
)
