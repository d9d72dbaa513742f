"""What panels show of a run and of a step, as rows of text."""
