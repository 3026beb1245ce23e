"""The command ``skald``: the program of the command line."""

import signal
import sys

from . import _core


def main() -> int:
    """Runs the program with the words of the command line, and returns its exit code."""
    for number in (signal.SIGINT, signal.SIGPIPE):  # which Python handles in its own way
        signal.signal(number, signal.SIG_DFL)
    return _core.program(["skald", *sys.argv[1:]])
