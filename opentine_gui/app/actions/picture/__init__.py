"""Actions on the picture of a run: the camera, folding, links, and presenting it."""
