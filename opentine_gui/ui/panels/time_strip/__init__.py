"""The time strip below the canvas: when each step ran, what it was for, and what a stretch of time came to."""
