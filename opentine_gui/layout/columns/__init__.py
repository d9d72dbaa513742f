"""The layout of a folded run: the main sequence is wrapped into columns, which are laid out by the engine and placed
side by side.

A straight column of 66 cards could only be shown as a thin line; wrapped, it fills the canvas. A card beside the main
sequence belongs to the column in which its branch leaves the sequence. Opening a card changes only its own column, as
long as the columns begin at the same cards. In a left-to-right layout columns are rows; "along" means the direction of
the layout, "across" the other one.
"""
