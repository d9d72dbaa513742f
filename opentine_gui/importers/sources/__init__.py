"""Where records come from: folders, databases, archives and documents; and what all formats have in common."""
