"""Attributes whose values are not what their names say."""

from __future__ import annotations

import pytest

from opentine_gui.importers.frameworks.spans.attribute_values import attributes_of


@pytest.mark.parametrize("values", [7, "x", None, {"a": 1}, True])
def test_a_list_that_is_none_has_no_values(values: object) -> None:
    stored = [{"key": "gen_ai.tools", "value": {"arrayValue": {"values": values}}}]
    assert attributes_of(stored) == {"gen_ai.tools": []}
