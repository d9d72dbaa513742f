"""Why steps failed or were stopped: everything that is recorded of it, the few words a card has room for; how a run stands."""
