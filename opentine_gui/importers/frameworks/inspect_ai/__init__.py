"""Inspect: logs of evaluations (.eval and .json), a run a sample."""
