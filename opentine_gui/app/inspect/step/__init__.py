"""What is worth reading about a step, in order: its failure, its sections, how it differs from another step."""
