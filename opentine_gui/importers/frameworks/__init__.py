"""Frameworks that agents are built with and harnesses that they run in, a package or module for each."""
