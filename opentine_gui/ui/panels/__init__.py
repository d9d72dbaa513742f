"""The quiet parts around the canvas: each panel reads the session, rebuilds when its key changed, and sends actions."""
