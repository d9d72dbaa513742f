"""Agents in editors and their command lines: Copilot, Cline and Roo."""
