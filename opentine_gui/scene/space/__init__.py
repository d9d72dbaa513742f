"""Positions: the camera, the spatial index, and arrow keys."""
