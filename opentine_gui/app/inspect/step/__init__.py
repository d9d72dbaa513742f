"""What of a step is worth reading, in which order: its failure, its sections, and how it differs from another step."""
