"""Unsaved work comes back: a safety copy of every unsaved document, kept until it is saved, and where it is opened."""
