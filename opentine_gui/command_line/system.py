"""`associate` and `self-test`: register the file type; try the program on this system."""

from __future__ import annotations

import argparse

from opentine_gui.command_line import FINE, REFUSED, UNREADABLE
from opentine_gui.command_line.output import complain, one_line
from opentine_gui.core import TineError


def associate(options: argparse.Namespace) -> int:
    """Register this program for the user's .tine files, or undo that; 1 when the system refuses."""
    from opentine_gui.app.system.desktop import association

    try:
        said = association.associate(remove=options.remove)
    except TineError as error:
        complain(error)
        return REFUSED
    for sentence in said:
        print(one_line(sentence))
    return FINE


def self_test(options: argparse.Namespace) -> int:
    """Run the self-test in a real window; 0, or 1 with the reason on stderr."""
    if options.picture is not None and not options.picture.absolute().parent.is_dir():
        complain(f"{options.picture}: its folder does not exist")
        return UNREADABLE
    from opentine_gui.ui.self_test import SelfTestFailure, self_test

    try:
        for sentence in self_test(options.picture):
            print(sentence, flush=True)
    except SelfTestFailure as failure:
        complain(f"self-test: {failure}")
        return REFUSED
    print("self-test: everything works")
    return FINE
