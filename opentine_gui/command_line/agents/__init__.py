"""Commands on agents' sessions: import them, open the latest one, warn of secrets in them."""
