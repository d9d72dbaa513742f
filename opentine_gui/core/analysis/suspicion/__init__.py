"""Which steps are worth looking at when a run failed, with reasons, and where it may make sense to fork."""
