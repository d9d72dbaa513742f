"""Dialogs, menus, palette and notices."""
