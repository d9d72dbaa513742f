"""An open document: its value, its picture, and what lies over the picture."""
