"""Other work on the machine: processes that do nothing but spin."""
import contextlib
import os
import subprocess
import sys

# A loop ends itself when its parent is gone, however that ended: none is ever left behind.
LOOP = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(1_000_000):
        pass
"""


class LoopEnded(Exception):
    pass


@contextlib.contextmanager
def loops(n):
    """`n` busy loops while the block runs. Raises LoopEnded where one did not last as long: then the block was not beside n."""
    running = []
    try:
        for _ in range(n):
            running.append(subprocess.Popen([sys.executable, "-c", LOOP, str(os.getpid())], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        yield running
        if any(loop.poll() is not None for loop in running):
            raise LoopEnded("a busy loop ended before the run did")
    finally:
        for loop in running:
            loop.kill()
        for loop in running:
            loop.wait()
