"""A span, independent of its envelope."""

from __future__ import annotations

from dataclasses import dataclass, field

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.reading import Place

NEVER = 0.0


@dataclass(slots=True, eq=False)
class Span:
    """A span: times in Unix seconds (None: not recorded), attributes by name, links as (trace, span)."""

    trace: str
    id: str
    parent: str
    name: str
    start: float | None
    end: float | None
    attributes: JsonObject = field(default_factory=dict)
    events: list[tuple[str, JsonObject]] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    failed: bool = False
    message: str = ""
    service: str = ""
    place: Place | None = None
    more: list[Place] = field(default_factory=list)
    """Places of the other records that were merged into this span."""
    once: list[Span] = field(default_factory=list)
    """The spans that were merged into this one, itself included, as recorded."""

    @property
    def began(self) -> float:
        """The start, 0.0 when not recorded."""
        return self.start if self.start is not None else NEVER

    @property
    def ended(self) -> float:
        """The end, else the start."""
        return self.end if self.end is not None else self.began
