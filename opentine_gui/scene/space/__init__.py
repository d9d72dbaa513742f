"""Where things are: camera, index of boxes, walking with arrow keys."""
