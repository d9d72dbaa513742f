"""From file to document and back: open, save, reload, export, recover."""
