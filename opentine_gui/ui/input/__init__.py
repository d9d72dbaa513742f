"""Mouse and keyboard, and waiting for them."""
