"""Every act a user can perform, one value each: menus, keys, palette, gestures and tests read this list."""

from opentine_gui.app.state.action_registry import Action, Menu, Registry


def all_actions() -> Registry:
    """The registry of everything, one module an area."""
    from opentine_gui.app.actions import (
        compare,
        copy,
        documents,
        edit,
        family,
        file,
        go,
        help,
        present,
        run,
        select,
        view,
    )

    areas = (file, edit, copy, select, go, view, present, run, compare, family, documents, help)
    return Registry(action for area in areas for action in area.ACTIONS)


__all__ = ["Action", "Menu", "Registry", "all_actions"]
