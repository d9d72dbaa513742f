"""Where a document's camera stands: what shows a part of the picture, how it gets there, and where it begins."""
