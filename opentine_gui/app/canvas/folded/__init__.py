"""Folded runs as a document shows them: what makes their pictures, opens their groups, and shows a part alone."""
