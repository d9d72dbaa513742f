"""Codex sessions ("rollouts"): a thread in one file or several, forks that point to a base, files of sub-agents."""
