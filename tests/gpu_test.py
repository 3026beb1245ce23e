#!/usr/bin/env python3
"""Runs a test program on a card, or says in a line why there is none.

usage: gpu_test.py <skald> <test program> <filter of gtest>
"""
import json
import os
import subprocess
import sys


def why_skipped(skald):
    """Why the program cannot use a card; empty: it can."""
    devices = json.loads(subprocess.run([skald, "devices", "-o", "json"], check=True, capture_output=True).stdout)
    cards = [d for d in devices if d["device"].startswith("cuda")]
    if not cards:
        return "the program was built without the device cuda (-D SKALD_CUDA=ON)"
    return cards[0].get("missing", "")


def main(skald, test, pattern):
    if why := why_skipped(skald):
        print(f"skipped: no card: {why}")
        return 0
    return subprocess.run([test, "--gtest_brief=1", f"--gtest_filter={pattern}"], env={**os.environ, "SKALD_TEST_DEVICE": "cuda"}).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
