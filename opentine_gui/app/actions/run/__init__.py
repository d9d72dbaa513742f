"""Actions of the Run menu: edits that are proposed first, and where a run came from."""
