"""A native desktop editor for .tine files. The rooms, from the ground up: core, layout, scene, app, ui."""

__version__ = "0.1.0"
