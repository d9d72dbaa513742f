"""Actions on several runs at once: comparisons and families."""
