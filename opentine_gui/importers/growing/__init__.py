"""Reading on where a source was left: files that grow, and runs of which only what is new is made."""
