"""The values that fields of the active run have, for suggestions while the user types."""

from __future__ import annotations

from weakref import ReferenceType, ref

from opentine_gui.app.search.completion import values_in
from opentine_gui.app.session import Session
from opentine_gui.core import Graph

_JOB = "values"


class KnownValues:
    """Values by field; they are kept without the run that they were read from."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.graph: ReferenceType[Graph] | None = None
        """The graph that the values are those of."""
        self._values: dict[str, tuple[str, ...]] = {}

    def of_active_run(self) -> dict[str, tuple[str, ...]]:
        """The values of the active run, read in a job on first use; those known before until that is done."""
        session = self.session
        record = session.active.record if session.active is not None else None
        known = self.graph() if self.graph is not None else None
        if record is not None and record.graph is not known and not session.jobs.is_running(_JOB):
            graph = record.graph

            def done(found: dict[str, tuple[str, ...]]) -> None:
                self.graph, self._values = ref(graph), found
                session.touch()

            def unknown(_error: Exception | None = None) -> None:
                done({})  # suggest nothing, rather than try again in every frame

            session.jobs.submit(
                _JOB, lambda _progress, cancelled: values_in(graph, cancelled), done, unknown,
                priority=2, stopped=unknown,
            )  # fmt: skip
        return self._values
