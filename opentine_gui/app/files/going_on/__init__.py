"""Going on from a step: in the agent that made it, or with a command of the user's own."""
