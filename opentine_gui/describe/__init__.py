"""How things are described: titles of steps, numbers, payload text, comparisons, what a card says. No drawing."""
