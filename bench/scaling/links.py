#!/usr/bin/env python3
"""Runs a command on ranks that are joined by a slow network, each in a network namespace of this machine.

usage: links.py --ranks N --delay MS [--rate MBIT] -- skald bench ... (as root, with MPICH: mpirun.mpich)

Packets go through a TUN device of each namespace and this program, which hands them on after the delay. It stands for tc's
netem, which not every kernel has. The time for which a packet is here without a delay is added: some 0.1 ms.
"""
import argparse
import ctypes
import fcntl
import heapq
import os
import select
import struct
import subprocess
import sys
import threading
import time

CLONE_NEWNET, TUNSETIFF, IFF_TUN, IFF_NO_PI, MTU = 0x40000000, 0x400454CA, 1, 0x1000, 65000
LIBC = ctypes.CDLL(None, use_errno=True)


def enter(path):
    fd = os.open(path, os.O_RDONLY)
    if LIBC.setns(fd, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), f"cannot enter {path}")
    os.close(fd)


def make_namespace(i):
    """Makes the namespace of a rank with a device of its own, whose file it returns."""
    name = f"skald{i}"
    subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)
    subprocess.run(["ip", "netns", "add", name], check=True)
    enter(f"/run/netns/{name}")
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", b"skald", IFF_TUN | IFF_NO_PI))
    for command in (f"addr add 10.77.0.{i + 1}/24 dev skald", f"link set skald mtu {MTU} up", "link set lo up"):
        subprocess.run(["ip", *command.split()], check=True)
    return tun


class Link(threading.Thread):
    """Hands packets from device to device, each after the delay and no faster than the rate."""

    def __init__(self, devices, delay, rate):
        super().__init__(daemon=True)
        self.devices, self.delay, self.rate = devices, delay, rate
        self.waiting, self.free, self.bytes = [], [0.0] * len(devices), 0

    def run(self):
        # Ranks that poll must not keep it from its work.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        while True:
            timeout = max(0.0, self.waiting[0][0] - time.perf_counter()) if self.waiting else 1
            for fd in select.select(self.devices, [], [], timeout)[0]:
                self.take(fd)
            now = time.perf_counter()
            while self.waiting and self.waiting[0][0] <= now:
                _, _, to, packet = heapq.heappop(self.waiting)
                try:
                    os.write(self.devices[to], packet)
                except BlockingIOError:
                    pass  # the other end is full: TCP sends it again

    def take(self, fd):
        while True:
            try:
                packet = os.read(fd, 65536)
            except BlockingIOError:
                return
            if packet[0] >> 4 != 4 or not 1 <= packet[19] <= len(self.devices):
                continue
            to, now = packet[19] - 1, time.perf_counter()
            self.bytes += len(packet)
            self.free[to] = max(now, self.free[to]) + (len(packet) * 8 / self.rate if self.rate else 0)
            heapq.heappush(self.waiting, (self.free[to] + self.delay, id(packet) + self.bytes, to, packet))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--delay", type=float, default=1, help="one way, in ms")
    parser.add_argument("--rate", type=float, default=0, help="Mbit/s of each rank's link; 0: as fast as it goes")
    parser.add_argument("command", nargs="+")
    o = parser.parse_args()
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    devices = [make_namespace(i) for i in range(o.ranks)]
    LIBC.setns(home, CLONE_NEWNET)
    link = Link(devices, o.delay / 1000, o.rate * 1e6)
    link.start()
    job = ["mpirun.mpich", "-genv", "MPIR_CVAR_NOLOCAL", "1", "-genv", "UCX_TLS", "tcp,self", "-genv", "UCX_NET_DEVICES", "skald"]
    for i in range(o.ranks):
        job += [":"] * (i > 0) + ["-np", "1", "ip", "netns", "exec", f"skald{i}", *o.command]
    code = subprocess.run(job).returncode
    for i in range(o.ranks):
        subprocess.run(["ip", "netns", "del", f"skald{i}"])
    print(f"{link.bytes / 1e6:.1f} MB went over the links", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
