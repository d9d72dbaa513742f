"""The machine below: jobs, file watching, the desktop, the one running instance."""
