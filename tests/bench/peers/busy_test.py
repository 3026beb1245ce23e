"""Busy loops spin while they are wanted, and none stays however their starter ends."""
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import support
from peers import busy

STARTER = f"""
import signal, sys, time
sys.path.insert(0, {str(support.PEERS)!r})
from peers import busy
signal.signal(signal.SIGINT, signal.default_int_handler)  # which the caller of the tests may ignore
signal.signal(signal.SIGHUP, signal.SIG_DFL)
with busy.loops(2) as running:
    print(*(loop.pid for loop in running), flush=True)
    time.sleep(60)
"""


def alive(pid):
    """Whether it runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def within(seconds, condition):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


class Loops(unittest.TestCase):
    def test_spin_and_end(self):
        with busy.loops(2) as running:
            pids = [loop.pid for loop in running]
            self.assertEqual(len(pids), 2)
            for pid in pids:  # in state R, for more than Python's start takes
                self.assertTrue(within(20, lambda: self.seconds_of(pid) > 0.1), pid)
        self.assertEqual([pid for pid in pids if alive(pid)], [])

    def seconds_of(self, pid):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_end_with_an_error(self):
        with self.assertRaises(KeyError):
            with busy.loops(2) as running:
                raise KeyError
        self.assertEqual([loop.pid for loop in running if alive(loop.pid)], [])

    def test_that_end_early_are_an_error(self):
        with self.assertRaises(busy.LoopEnded):
            with busy.loops(1) as running:
                running[0].kill()
                running[0].wait()

    def test_are_none_where_none_are_wanted(self):
        with busy.loops(0) as running:
            self.assertEqual(running, [])

    def test_do_not_outlive_their_starter(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            starter = subprocess.Popen([sys.executable, "-c", STARTER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            pids = [int(word) for word in starter.stdout.readline().split()]
            self.assertEqual(len(pids), 2)
            starter.send_signal(number)
            starter.communicate(timeout=60)
            self.assertTrue(within(20, lambda: not any(map(alive, pids))), f"after {number.name}")


unittest.main()
