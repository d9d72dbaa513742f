"""Actions on agents' sessions: those that grow, those of this machine, and going on in the agent."""
