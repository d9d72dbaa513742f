"""Commands on the sessions of agents: import them, open the latest, warn of what they may hold."""
