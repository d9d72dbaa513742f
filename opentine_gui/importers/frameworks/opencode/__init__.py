"""OpenCode: sessions in its database, in exports and in lines of its events."""
