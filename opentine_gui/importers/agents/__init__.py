"""The agents of this machine: where each keeps its sessions, and what one is called, from its first and last bytes."""
