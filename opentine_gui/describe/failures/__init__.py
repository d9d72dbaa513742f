"""Why steps failed or were stopped, in full and in a few words; the status of a run."""
