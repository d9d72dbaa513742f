"""The time strip below the canvas: when each step ran, what it was for, and the sums of a stretch of time."""
