"""The agents on this machine: where each keeps its sessions, and their titles, from their first and last bytes."""
