"""The graph of steps: columns, heads, walks, addresses."""
