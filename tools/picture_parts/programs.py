"""Programs that end with the pictures."""
import contextlib
import re
import subprocess
import sys


@contextlib.contextmanager
def running(*command):
    """Runs a program until the block ends."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def line_with(process, pattern):
    """Returns the first group of the pattern in the output of a program."""
    for line in process.stdout:
        if found := re.search(pattern, line):
            return found[1]
    sys.exit(f"pictures: {process.args[0]} ended before it printed {pattern}")
