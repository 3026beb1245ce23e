"""Lets the tests import bench/peers."""
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parents[3] / "bench" / "peers"
sys.path.insert(0, str(PEERS))
