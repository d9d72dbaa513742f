"""Keeping sessions: copies of what agents recorded, in an archive of the user's own, before the agents delete them."""
