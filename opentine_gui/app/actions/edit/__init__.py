"""Actions of the Edit menu: undo and redo, where cards stand, and what goes to the clipboard."""
