"""The picture of a document: what its cards say, their colours, and which groups of a long run are open."""
