"""What follows from a run without asking a model, as the window says it: worked out in jobs, once for each graph."""
