"""What the card of a group of steps says: a title, a summary line, a strip of bars, flags."""
