"""What is worth looking at when a run failed, each with its reason, and where it may make sense to fork."""
