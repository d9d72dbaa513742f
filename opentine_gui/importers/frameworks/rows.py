"""Reads the database rows of a step again, with values decoded as far as that is safe."""

from __future__ import annotations

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.frameworks.langgraph.values import decoded
from opentine_gui.importers.reading import Place
from opentine_gui.importers.sources import sqlite
from opentine_gui.importers.sources.fields import parsed, storable

MOST_ROWS = 50


def rows_at(place: Place) -> list[JsonObject]:
    """The rows at a place, the first `MOST_ROWS`, by the names of their columns; none when they are gone. TineError.

    Texts that hold JSON, and msgpack, are decoded; a pickled value never is.
    """
    with sqlite.opened(place.path) as connection:
        if place.table not in sqlite.table_names(connection):
            return []
        wanted = [(name, value) for name, value in place.row if name in sqlite.column_names(connection, place.table)]
        where = " AND ".join(f'"{name}" = ?' for name, _ in wanted)
        cursor = connection.execute(
            f'SELECT * FROM "{place.table}" WHERE {where} LIMIT {MOST_ROWS}', [value for _, value in wanted]
        )
        names = [str(column[0]) for column in cursor.description]
        return [_shown(dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def _shown(row: JsonObject) -> JsonObject:
    kind = row.get("type")
    return {
        name: storable(decoded(kind if name in ("value", "checkpoint") else "", value))
        if isinstance(value, bytes)
        else parsed(value)
        for name, value in row.items()
    }
