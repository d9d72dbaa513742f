"""pi's sessions: a tree of entries in one file, versions 1 to 3; a fork is a new file with copied entries."""
