"""Unsaved work survives a crash: a safety copy of every unsaved document, kept until it is saved."""
