"""What panels show about a run and a step, as rows of text."""
