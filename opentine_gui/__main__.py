"""`python -m opentine_gui` is the same program as `opentine-gui`."""

from opentine_gui.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
