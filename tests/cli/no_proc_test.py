"""The program where /proc and /sys are empty, as in a bare chroot. A namespace of mounts hides them, where the system grants one."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import support
from server import Server

NAMESPACE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
HIDE = "mount -t tmpfs none /proc && mount -t tmpfs none /sys"
RUN = ("run", "--print-ids", "-p", "Once upon a time", "-n", 8, "--temp", 0)


def is_granted():
    try:
        return subprocess.run([*NAMESPACE, "sh", "-c", HIDE], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


class NoProc(support.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.shown = support.SKALD
        cls.folder = tempfile.TemporaryDirectory()
        hidden = Path(cls.folder.name) / "skald"
        hidden.write_text(f"#!/bin/sh\nexec {' '.join(NAMESPACE)} sh -c '{HIDE} && exec \"$0\" \"$@\"' '{cls.shown}' \"$@\"\n")
        hidden.chmod(0o755)
        support.SKALD = str(hidden)

    @classmethod
    def tearDownClass(cls):
        support.SKALD = cls.shown
        cls.folder.cleanup()

    def test_writes_the_same_tokens(self):
        shown = subprocess.run([self.shown, *map(str, RUN)], capture_output=True, env=support.environment()).stdout
        self.assertEqual(self.ok(*RUN), shown)
        self.assertEqual(self.ok(*RUN, "--mlock", "--numa", "distribute", "--cpu-range", min(os.sched_getaffinity(0))), shown)

    def test_runs_kernels_for_gpus_on_the_host(self):
        self.assertEqual(len(self.ids("-p", "Once", "-n", 2, "--device", "simt")), 2)

    def test_doctor_tells_what_it_knows(self):
        got = json.loads(self.ok("doctor", "--json", "--roofline-seconds", "0.01"))
        self.assertGreater(got["memory"]["bytes"], 0)
        self.assertGreater(got["memory"]["available_bytes"], 0)
        for part, key in (("cpu", "load"), ("cpu", "last_level_cache_bytes"), ("memory", "swap_bytes"), ("memory", "huge_pages")):
            self.assertIsNone(got[part][key], key)
        self.assertIsNone(got["disks"][0]["file_system"])
        text = self.ok("doctor", "--roofline-seconds", "0.01").decode()
        self.assertIn("load unknown", text)
        self.assertRegex(text, "swap +the system does not say")

    def test_serves(self):
        with Server() as server:
            reply = server.post("/v1/completions", {"prompt": "Once upon a time", "max_tokens": 8, "temperature": 0})
            self.assertEqual(reply.status, 200, reply.body)
            self.assertEqual(reply.json["usage"]["completion_tokens"], 8)


if __name__ == "__main__":
    if not is_granted():
        print("skipped: no namespace of mounts, so that /proc is there", file=sys.stderr)
        raise SystemExit(0)
    support.main()
