"""What the card of a group of steps says: a title, a quiet line, a strip of bars, flags."""
