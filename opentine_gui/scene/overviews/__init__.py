"""Pictures of the whole run: the minimap and the time strip."""
