"""Verifies a document: recomputes every step id and the digest, and says which steps still hold where they fail."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.core.errors import LookupFailure, shown
from opentine_gui.core.files import storage
from opentine_gui.core.files.digest import UNSAVED, DigestResult, DigestVerdict, check_digest
from opentine_gui.core.files.origin import (
    Verdict,
    check_fork_id,
    check_steps,
    contradicts,
    keep_mark,
    mark_sentence,
    marks_of,
    verdict_of,
)
from opentine_gui.core.format.metadata import marks_in
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.step_address import StepVerdict
from opentine_gui.core.model import JsonObject, short_id
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.core.record import RunRecord

NOT_EVERYTHING = "nothing contradicts it, but not everything could be checked"


class Verification(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The result of `verify`. `verdicts` follow traversal order; ids are full ids.

    `still_standing` are the steps that match, as all their ancestors do; `damaged` those that do not match, and all
    their descendants.
    """

    run_id: str
    digest: DigestResult
    verdicts: tuple[StepVerdict, ...]
    ids: tuple[str, ...]
    still_standing: tuple[str, ...]
    damaged: tuple[str, ...]
    fork_id: bool | None
    signed: bool
    statements: tuple[str, ...]
    origins: tuple[JsonObject, ...] = ()
    """Marks of the runs it was made from that did not verify."""

    def of(self, identity: str) -> StepVerdict:
        """The verdict on one step. LookupFailure when the run has no step with this full id."""
        given: object = identity
        found = self.by_id.get(identity) if isinstance(given, str) else None
        if found is None:
            raise LookupFailure(f"there is no step {shown(given)}")
        return found

    @property
    def by_id(self) -> dict[str, StepVerdict]:
        """Verdicts by full step id."""
        return dict(zip(self.ids, self.verdicts, strict=True))

    @property
    def mismatches(self) -> tuple[str, ...]:
        """Ids of the steps whose content does not give their id, redacted ones included."""
        wrong = (StepVerdict.MISMATCH, StepVerdict.REDACTED)
        return tuple(identity for identity, verdict in zip(self.ids, self.verdicts, strict=True) if verdict in wrong)

    @cached_property
    def unsupported(self) -> frozenset[str]:
        """Ids of the steps that match themselves but have an ancestor that does not.

        Empty where nothing contradicts the document: redacted ancestors alone do not count against a step.
        """
        if not self.damaged or self.verdict is not Verdict.CONTRADICTED:
            return frozenset()
        return frozenset(self.damaged).difference(self.mismatches)

    @property
    def redacted(self) -> tuple[str, ...]:
        """Ids of the steps that do not give their id and hold the redaction marker."""
        return tuple(
            identity
            for identity, verdict in zip(self.ids, self.verdicts, strict=True)
            if verdict is StepVerdict.REDACTED
        )

    @property
    def not_checkable(self) -> int:
        """How many steps carry an id that is not one of this format's."""
        return self.verdicts.count(StepVerdict.NOT_CHECKABLE)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole document; a wrong digest, step id or fork id contradicts it.

        Without a comparable digest it is not verified, whatever the step ids say: they do not cover cost, usage and
        time. That holds for format 0 too, which never had a digest. Nor is it verified if a step's id cannot be checked
        or was made before redaction, as the package does it: that neither contradicts nor proves anything.
        """
        return with_origins(verdict_of(self.digest.verdict, self.verdicts, self.fork_id), self.origins)

    @property
    def ok(self) -> bool:
        """Whether the document is verified: the digest agrees and nothing contradicts it."""
        return self.verdict is Verdict.VERIFIED


def with_origins(verdict: Verdict, origins: Sequence[JsonObject]) -> Verdict:
    """The verdict on a run that was made from others: no better than the worst verdict among them."""
    if any(map(contradicts, origins)):
        return Verdict.CONTRADICTED
    return Verdict.NOT_VERIFIED if origins and verdict is Verdict.VERIFIED else verdict


def verify(
    document: RunRecord | str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None
) -> Verification:
    """Recompute every step id, the digest and the fork id. TineError when a path cannot be read."""
    record = document if isinstance(document, RunRecord) else storage.read(document)
    pace = Pace(progress, cancelled)
    verdicts = check_steps(record, pace=pace)
    standing, damaged = _standing(record.graph, verdicts)
    digest = check_digest(record, pace=Pace(None, cancelled))
    fork_id = check_fork_id(record)
    keep_mark(record, digest, verdicts, fork_id)
    # An untouched record of an older format needs no mark of its own: its digest says what is missing.
    origins = marks_in(record.metadata) if record.untouched else marks_of(record, pace=Pace(None, cancelled))
    signed = record.source is not None and _signature(record.source.integrity) is not None
    pace.at(1.0)
    return Verification(
        run_id=record.run_id,
        digest=digest,
        verdicts=tuple(verdicts),
        ids=record.graph.ids,
        still_standing=tuple([record.graph.ids[position] for position in standing]),
        damaged=tuple([record.graph.ids[position] for position in damaged]),
        fork_id=fork_id,
        signed=signed,
        statements=tuple(_statements(verdicts, digest, fork_id, signed, len(standing), len(damaged), origins)),
        origins=tuple(origins),
    )


def _standing(graph: Graph, verdicts: list[StepVerdict]) -> tuple[list[int], list[int]]:
    """(positions that verify with all their ancestors, positions that mismatch or have an ancestor that does)."""
    if verdicts.count(StepVerdict.OK) == len(graph):
        return list(range(len(graph))), []
    standing = bytearray(len(graph))
    damaged = bytearray(len(graph))
    wrong = (StepVerdict.MISMATCH, StepVerdict.REDACTED)
    for position, (verdict, parents) in enumerate(zip(verdicts, graph.parents, strict=True)):
        if verdict in wrong or any(damaged[parent] for parent in parents):
            damaged[position] = 1
        elif verdict is StepVerdict.OK and all(standing[parent] for parent in parents):
            standing[position] = 1
    every = range(len(graph))
    return [place for place in every if standing[place]], [place for place in every if damaged[place]]


def _signature(integrity: Any) -> Any:
    return integrity.get("signature") if isinstance(integrity, dict) else None


def _statements(
    verdicts: list[StepVerdict],
    digest: DigestResult,
    fork_id: bool | None,
    signed: bool,
    standing: int,
    damaged: int,
    origins: Sequence[JsonObject],
) -> list[str]:
    said = [f"Made from a run that {not_verified(mark)}: {mark_sentence(mark)}." for mark in origins]
    verdict = with_origins(verdict_of(digest.verdict, verdicts, fork_id), origins)
    if digest.verdict is DigestVerdict.OK:
        said.append("The digest agrees with the content; whoever wrote the file could have written both.")
    elif digest.verdict is DigestVerdict.MISMATCH:
        said.append("The digest does not agree with the content: the file was changed after it was saved.")
    else:
        unproved = f"Not verified: {NOT_EVERYTHING}. " if verdict is Verdict.NOT_VERIFIED else ""
        why = "No digest in this file"
        if digest.verdict is DigestVerdict.UNUSABLE:
            why = f"The digest in this file cannot be used ({digest.reason})"
        elif digest.reason == UNSAVED:
            why = "Not saved since it was changed, so there is no digest yet"
        said.append(f"{unproved}{why}: nothing covers cost, time and usage.")
    total = len(verdicts)
    good = verdicts.count(StepVerdict.OK)
    if total and good == total:
        said.append(
            "The one step id follows from the step's content; cost, time and usage are not covered by it."
            if total == 1
            else f"All {total:,} step ids follow from the steps' content; cost, time and usage are not covered by ids."
        )
    elif total:
        follow = "id follows from the step's" if total == 1 else "ids follow from the steps'"
        said.append(f"{good:,} of {total:,} step {follow} content.")
        said.append(
            "1 step still stands: it and all it rests on follow from their content."
            if standing == 1
            else f"{standing:,} steps still stand: they and all they rest on follow from their content."
        )
    wrong = verdicts.count(StepVerdict.MISMATCH)
    if wrong:
        its = "its id was" if wrong == 1 else "their ids were"
        said.append(f"{_steps(wrong)} not have the content {its} made of.")
    redacted = verdicts.count(StepVerdict.REDACTED)
    if redacted:
        its = "its id and holds" if redacted == 1 else "their ids and hold"
        said.append(f"{_steps(redacted)} not give {its} redacted text: ids are made before redaction.")
    resting = damaged - wrong - redacted
    if resting and verdict is Verdict.CONTRADICTED:
        match = "step matches its id but rests" if resting == 1 else "steps match their ids but rest"
        said.append(f"{resting:,} {match} on a step that does not.")
    unknown = verdicts.count(StepVerdict.NOT_CHECKABLE)
    if unknown:
        what = "step id is not a content address" if unknown == 1 else "step ids are not content addresses"
        said.append(f"{unknown:,} {what} of this format and cannot be checked.")
    said.append("Title, task, prompts, tags and where it was forked from are covered by nothing.")
    if fork_id is not None:
        said.append(
            "The run id follows from the fork record."
            if fork_id
            else "The run id does not follow from the fork record: one of them was changed."
        )
    if signed:
        said.append("The file carries a signature, which was not checked here.")
    return said


FEW = 5
"""Most ids named in a phrase."""


def reasons(found: Verification) -> list[str]:
    """Why a document is not verified, in short phrases with recorded ids in them; [] for one that is."""
    said = [] if found.digest.verdict is DigestVerdict.OK else [found.digest.words]
    good, total = found.verdicts.count(StepVerdict.OK), len(found.ids)
    redacted = set(found.redacted)
    changed = [identity for identity in found.mismatches if identity not in redacted]
    if good != total:
        said.append(f"{good:,} of {total:,} step ids match")
    if changed:
        said.append(f"changed: {_named(changed)}")
    if found.redacted:
        said.append(f"redacted, so no longer matching: {_named(found.redacted)}")
    if found.not_checkable:
        said.append(f"{found.not_checkable:,} ids of another form cannot be checked")
    if found.fork_id is False:
        said.append("fork id does not follow from the fork record")
    return said + [f"made from a run that {not_verified(mark)}: {mark_sentence(mark)}" for mark in found.origins]


def phrases(found: Verification) -> list[str]:
    """Everything that was checked in short phrases, the digest first; what is wrong in the words of `reasons`."""
    said = reasons(found)
    if found.digest.verdict is DigestVerdict.OK:
        said.insert(0, found.digest.words)
    good, total = found.verdicts.count(StepVerdict.OK), len(found.ids)
    if good == total:
        said.insert(1, f"{good:,} of {total:,} step ids match")
    if found.fork_id:
        said.append("fork id confirmed")
    if found.signed:
        said.append("signature not checked")
    return [*said, "metadata (title, prompts, tags, origin) covered by nothing"]


def _named(identities: Sequence[str]) -> str:
    """The first few ids, short, and how many more there are."""
    named = ", ".join(map(short_id, identities[:FEW]))
    return named if len(identities) <= FEW else f"{named} and {len(identities) - FEW:,} more"


def not_verified(mark: JsonObject) -> str:
    """The verb for the run of a mark: "did not verify" or "could not be verified"."""
    return "did not verify" if contradicts(mark) else "could not be verified"


def _steps(count: int) -> str:
    return f"{count:,} step does" if count == 1 else f"{count:,} steps do"
