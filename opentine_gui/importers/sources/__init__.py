"""Where records come from: folders, databases, archives and documents, and what they have in common."""
