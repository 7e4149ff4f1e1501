"""A slow and lossy link between this network namespace and a new one, for bench/link.ts.

    link.py NAMESPACE DELAY_MS LOSS

Every IP packet between 10.99.0.1 here and 10.99.0.2 there waits for DELAY_MS in either direction, and is dropped with
the chance LOSS. Beside it 10.98.0.1 and 10.98.0.2 are joined without delay, for what belongs to the other machine.
Says "ready", and takes all away when its input ends. Then it says how many packets it passed and dropped.
"""

import collections
import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
PACKET_BYTES = 2048


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def tunnel(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


def join(namespace):
    here, there = f"{namespace}h", f"{namespace}t"
    devices = tunnel(here), tunnel(there)
    inside = ["-n", namespace]
    ip("link", "set", there, "netns", namespace)
    ip("link", "add", f"{namespace}a", "type", "veth", "peer", "name", f"{namespace}b", "netns", namespace)
    for device, network in ((here, 99), (f"{namespace}a", 98)):
        ip("address", "add", f"10.{network}.0.1/30", "dev", device)
        ip("link", "set", device, "up")
    for device, network in ((there, 99), (f"{namespace}b", 98)):
        ip(*inside, "address", "add", f"10.{network}.0.2/30", "dev", device)
        ip(*inside, "link", "set", device, "up")
    ip(*inside, "link", "set", "lo", "up")
    return devices


def carry(devices, delay, loss):
    """Packets leave in the order in which they came, so one queue is enough."""
    chance = random.Random(1)
    queue = collections.deque()
    passed = dropped = 0
    other = {devices[0]: devices[1], devices[1]: devices[0]}
    while True:
        wait = max(0, queue[0][0] - time.monotonic()) if queue else None
        ready, _, _ = select.select([0, *devices], [], [], wait)
        if 0 in ready and not os.read(0, 1):
            return passed, dropped
        for device in ready:
            while device in other:
                try:
                    packet = os.read(device, PACKET_BYTES)
                except BlockingIOError:
                    break
                if chance.random() < loss:
                    dropped += 1
                else:
                    queue.append((time.monotonic() + delay, other[device], packet))
        while queue and queue[0][0] <= time.monotonic():
            _, device, packet = queue.popleft()
            try:
                os.write(device, packet)
                passed += 1
            except OSError:
                dropped += 1


def main():
    namespace, delay_ms, loss = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    ip("netns", "add", namespace)
    try:
        devices = join(namespace)
        print("ready", flush=True)
        passed, dropped = carry(devices, delay_ms / 1000, loss)
        print(passed, dropped, flush=True)
    finally:
        # The devices go with it, and those here with this process.
        ip("netns", "delete", namespace)


main()
