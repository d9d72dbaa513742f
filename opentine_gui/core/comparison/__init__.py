"""What differs between two runs: pairing, divergences, differences of steps and texts."""
