"""Plain values and small registries; the rest of the application is built on them."""
