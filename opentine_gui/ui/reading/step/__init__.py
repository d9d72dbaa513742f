"""One step to read: its header, why it failed, the tabs, and what each of them shows."""
