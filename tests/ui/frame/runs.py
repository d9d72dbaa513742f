"""Twelve runs of a line of steps, with long names that differ at their end."""

from __future__ import annotations

CHAIN = {str(number): str(number - 1) if number else "" for number in range(40)} | {"x40": "39"}
"""A line of 41 steps, the last of which failed."""


NAMES = [f"evaluation-of-a-long-name-{number:02}.tine" for number in range(12)]
