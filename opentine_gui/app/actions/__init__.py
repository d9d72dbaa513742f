"""Everything a user can do, as a list of actions: menus, keys, palette, gestures and tests read it."""

from msgspec.structs import replace

from opentine_gui.app.state.action_registry import Action, Menu, Registry


def all_actions() -> Registry:
    """The registry of all actions; each area has a module."""
    from opentine_gui.app.actions import (
        annotate,
        file,
        inspect,
        select,
        view,
        window,
    )
    from opentine_gui.app.actions.agents import continuing, keeping, live, sessions
    from opentine_gui.app.actions.edit import copying, history
    from opentine_gui.app.actions.finding import differences, files, go, heat, run_list, search, suspects, time_area
    from opentine_gui.app.actions.finding.command_words import COMMAND_WORDS
    from opentine_gui.app.actions.picture import camera, fold, link, present
    from opentine_gui.app.actions.run import branches, origin, proposing
    from opentine_gui.app.actions.several_runs import compare, family

    areas = (
        file,
        window,
        run_list,
        history,
        copying,
        annotate,
        select,
        link,
        search,
        go,
        camera,
        view,
        fold,
        live,
        sessions,
        keeping,
        inspect,
        differences,
        files,
        suspects,
        time_area,
        heat,
        present,
        proposing,
        branches,
        origin,
        compare,
        family,
        continuing,
    )
    listed = (action for area in areas for action in area.ACTIONS)
    return Registry(replace(action, words=COMMAND_WORDS.get(action.id, "")) for action in listed)


__all__ = ["Action", "Menu", "Registry", "all_actions"]
