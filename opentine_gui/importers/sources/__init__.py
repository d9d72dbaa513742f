"""Access to folders, databases, archives and documents, and what the formats of records have in common."""
