"""Plain values and small registries the rest of the application is made of."""
