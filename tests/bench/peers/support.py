"""Lets the tests import bench/peers/peers."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench" / "peers"))
