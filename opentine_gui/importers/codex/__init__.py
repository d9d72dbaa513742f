"""Codex sessions ("rollouts"): one thread in one file or several, forks that point to a base, sub-agents in their own."""
