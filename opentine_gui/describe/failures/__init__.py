"""Why steps failed: everything that is recorded of it, and the few words a card has room for."""
