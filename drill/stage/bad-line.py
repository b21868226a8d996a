"""Passes every frame from one network device to another and back, late or not at all.

    bad-line.py <device> <device>

A line `<milliseconds> <share>` on its input says how long each frame is held up, and which share of them gets lost.
"""

import heapq
import os
import random
import select
import signal
import socket
import sys
import time

ANY = 0x0003


def opened(device):
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ANY))
    port.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    port.bind((device, ANY))
    port.setblocking(False)
    return port


# Who ends the drill from the keyboard lets it end the lines.
signal.signal(signal.SIGINT, signal.SIG_IGN)
near, far = (opened(device) for device in sys.argv[1:3])
other = {near: far, far: near}
delay, loss = 0.0, 0.0
held, count = [], 0
print("there", flush=True)


def send(port, frame):
    try:
        port.send(frame)
    except OSError:
        # A plug that was pulled, or a queue that is full: it is lost, as on any line.
        pass


while True:
    wait = max(0.0, held[0][0] - time.monotonic()) if held else None
    for ready in select.select([near, far, sys.stdin], [], [], wait)[0]:
        if ready is sys.stdin:
            said = os.read(0, 4096).decode().split()
            if not said:
                sys.exit()
            delay, loss = float(said[-2]) / 1000, float(said[-1])
            continue
        for _ in range(256):
            try:
                frame, (_, _, kind, *_) = ready.recvfrom(65536)
            except BlockingIOError:
                break
            except OSError:
                break
            if kind == socket.PACKET_OUTGOING or random.random() < loss:
                continue
            if delay == 0 and not held:
                send(other[ready], frame)
                continue
            count += 1
            heapq.heappush(held, (time.monotonic() + delay, count, other[ready], frame))
    while held and held[0][0] <= time.monotonic():
        send(*heapq.heappop(held)[2:])
