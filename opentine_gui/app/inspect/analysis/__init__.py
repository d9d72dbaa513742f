"""What a run tells without asking a model, in the window's words: computed in jobs, once for each graph."""
