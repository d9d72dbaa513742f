"""Why steps failed or were stopped, all that is recorded of it and in a few words; how a run stands."""
