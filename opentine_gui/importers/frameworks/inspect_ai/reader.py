"""The reader of Inspect's logs: one sample is read, the others are not even unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.files import storage
from opentine_gui.core.model import JsonObject, RunStatus
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.frameworks.inspect_ai.sample import TELLING, Sample, add_failed_attempts, part_id, part_of
from opentine_gui.importers.frameworks.inspect_ai.scores import in_words
from opentine_gui.importers.frameworks.spans.conversation import Conversation
from opentine_gui.importers.frameworks.spans.forest import Forest
from opentine_gui.importers.reading import Place, Reading
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources import archives, documents
from opentine_gui.importers.sources.fields import object_of, objects_in, storable, text_of, unix_time
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.parts import Part, divide

SAMPLES = "samples/"
HEADER = "header.json"
START = "_journal/start.json"
SUMMARIES = "summaries.json"


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is an evaluation log.

    A zip with a journal or a header, or a document of `eval` and `plan`.
    """
    if head.startswith(archives.ZIP):
        names = archives.names_in(head)
        return 0.95 if any(name in (START.encode(), HEADER.encode()) for name in names) else 0.0
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
    if not start.startswith(b"{") or b'"eval"' not in start[:4096]:
        return 0.0
    return 0.9 if b'"status"' in start[:400] and (b'"plan"' in head or b'"task"' in head) else 0.0


@contextmanager
def _log(path: Path) -> Iterator[dict[str, archives.Member] | dict[str, documents.Text]]:
    """A log's members by name: files of the archive, or members of the document."""
    if storage.read_head(path, 4) == archives.ZIP:
        with archives.opened(path) as members:
            yield {member.name: member for member in members}
    else:
        yield documents.read_text(path).members()


def parts_of(path: Path) -> list[Part]:
    """The samples of a log, in its order. TineError."""
    with _log(path) as log:
        return _parts(log)


def _parts(log: dict[str, archives.Member] | dict[str, documents.Text]) -> list[Part]:
    found: list[Part] = []
    told: dict[str, Part] = {}
    for name, member in log.items():
        if isinstance(member, documents.Text):
            if name == "samples":
                for item in member.items():
                    value = item.members()
                    found.append(part_of({key: value[key].value() for key in TELLING if key in value}))
        elif name == SUMMARIES:
            told = {part.id: part for part in map(part_of, objects_in(documents.decode(member.read())))}
        elif name.startswith(SAMPLES) and name.endswith(".json"):
            found.append(Part(name.removeprefix(SAMPLES).removesuffix(".json")))
    return [told.get(part.id, part) for part in found]


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a sample: the first one, or the one that the path names. TineError."""
    source, wanted = divide(path)
    pace = Pace(progress, cancelled)
    draft = RunDraft()
    with _log(source) as log:
        parts = _parts(log)
        chosen = next((part for part in parts if part.id == wanted or not wanted), None)
        if chosen is None:
            raise FormatError(
                f"there is no sample {wanted[:80]!r} in it" if wanted else "there is no sample in it", path=source
            )
        pace.at(0.1)
        value, place = _sample(log, chosen.id, source)
        header = _header(log)
    sample = Sample(value, place, draft.report)
    forest = Forest(sample.read())
    pace.at(0.5)
    conversation = Conversation(forest, draft, pace.part(0.5, 0.8))
    tips = conversation.grow()
    add_failed_attempts(value, draft)
    if not draft.steps:
        raise FormatError("the sample has no events that make steps", path=source, place=chosen.id[:80])
    about = object_of(header.get("eval"))
    times = [step.timestamp for step in draft.steps.values() if step.timestamp is not None]
    metadata: JsonObject = {"agent": "Inspect", "title": chosen.title or chosen.id}
    metadata["task"] = text_of(about.get("task"))
    if value.get("scores"):
        metadata["scores"] = {
            name: storable(object_of(one).get("value")) for name, one in object_of(value["scores"]).items()
        }
        metadata["scored"] = in_words(metadata["scores"].values())
    return draft.finish(
        run_id=run_id(f"{text_of(about.get('run_id')) or source.stem}-{chosen.id}"),
        created_at=unix_time(value.get("started_at")) or min(times, default=0.0),
        capture=origin("inspect-log", str(storable(header.get("version", ""))), source, part=chosen.id),
        metadata=metadata,
        status=RunStatus.FAILED if value.get("error") else RunStatus.COMPLETED,
        main=tips[-1] if tips else None,
        sources=(source,),
        pace=pace.part(0.8, 1),
    )


def _sample(
    log: dict[str, archives.Member] | dict[str, documents.Text], wanted: str, source: Path
) -> tuple[JsonObject, Place | None]:
    for name, member in log.items():
        if isinstance(member, documents.Text):
            for item in member.items() if name == "samples" else ():
                value = item.members()
                if part_id({key: value[key].value() for key in ("id", "epoch") if key in value}) == wanted:
                    return object_of(item.value()), item.place(source)
        elif name == f"{SAMPLES}{wanted}.json":
            return object_of(documents.decode(member.read())), None
    return {}, None


def _header(log: dict[str, archives.Member] | dict[str, documents.Text]) -> JsonObject:
    """What is said about the whole log."""
    found: JsonObject = {}
    for name, member in log.items():
        if isinstance(member, documents.Text):
            if name in ("version", "status", "eval"):
                found[name] = member.value()
        elif name in (HEADER, START) and not found:
            found = object_of(documents.decode(member.read()))
    return found
