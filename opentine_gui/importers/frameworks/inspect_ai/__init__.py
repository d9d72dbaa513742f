"""Inspect: evaluation logs (.eval and .json), one run for each sample."""
