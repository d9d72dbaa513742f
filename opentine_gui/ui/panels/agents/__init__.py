"""The panels of agents: their sessions on this machine, and what a command prints that goes on with a run."""
