"""How calls ended: failed, stopped, or failed behind a pipe, by what they ran and printed."""
