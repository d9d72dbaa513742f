"""`associate`, `self-test`, `completion`: the program and this system."""

from __future__ import annotations

import argparse
import os

from opentine_gui.command_line import FINE, REFUSED
from opentine_gui.command_line.open import missing_library
from opentine_gui.command_line.output import Answer, one_line
from opentine_gui.core import TineError


def associate(options: argparse.Namespace) -> int:
    """Register this program for the user's .tine files, or undo that; 1 when the system refuses."""
    from opentine_gui.app.system.desktop import association

    answer = Answer(options)
    try:
        for sentence in association.associate(remove=options.remove):
            say(sentence, answer)
    except TineError as error:
        answer.fail(error, REFUSED)
    return answer.finish()


def self_test(options: argparse.Namespace) -> int:
    """Run the self-test in a real window; 0, or 1 with the reason on stderr."""
    answer = Answer(options)
    if options.picture is not None and not os.path.isdir(options.picture.absolute().parent):
        answer.fail(f"{options.picture}: its folder does not exist")
        return answer.finish()
    try:
        from opentine_gui.ui.self_test import SelfTestFailure, self_test
    except ImportError as error:
        answer.fail(missing_library(error), REFUSED)
        return answer.finish()
    try:
        for sentence in self_test(options.picture):
            say(sentence, answer)
    except SelfTestFailure as failure:
        answer.fail(f"self-test: {failure}", REFUSED)
    if answer.status == FINE:
        say("self-test: everything works", answer)
    return answer.finish()


def completion(options: argparse.Namespace) -> int:
    """Print the lines that teach a shell to complete this program's commands, options and files."""
    from opentine_gui.command_line.parser.arguments import build_parser
    from opentine_gui.command_line.parser.completion import SHELLS

    print(SHELLS[options.shell](build_parser()), end="")
    return FINE


def say(sentence: str, answer: Answer) -> None:
    """Print a sentence, or keep it for the JSON."""
    if answer.as_json:
        answer.add("message", {"message": sentence})
    else:
        print(one_line(sentence), flush=True)
