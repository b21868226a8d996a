"""Forwards Ethernet frames between two network devices, with delay and loss.

    lossy-link.py <device> <device>

Each line `<delay in milliseconds> <loss rate from 0 to 1>` on stdin sets the impairment of both directions.
Prints `ready` when it forwards frames.
"""

import heapq
import os
import random
import select
import signal
import socket
import sys
import time

ETH_P_ALL = 0x0003


def open_device(device):
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    packets.bind((device, ETH_P_ALL))
    packets.setblocking(False)
    return packets


# Ctrl+C reaches the whole process group; the test suite stops this program itself.
signal.signal(signal.SIGINT, signal.SIG_IGN)
first, second = (open_device(device) for device in sys.argv[1:3])
peer = {first: second, second: first}
delay, loss = 0.0, 0.0
queue, count = [], 0
print("ready", flush=True)


def send(device, frame):
    try:
        device.send(frame)
    except OSError:
        # The device is down or its queue is full: the frame is lost, as on a real link.
        pass


while True:
    timeout = max(0.0, queue[0][0] - time.monotonic()) if queue else None
    for readable in select.select([first, second, sys.stdin], [], [], timeout)[0]:
        if readable is sys.stdin:
            words = os.read(0, 4096).decode().split()
            if not words:
                sys.exit()
            delay, loss = float(words[-2]) / 1000, float(words[-1])
            continue
        for _ in range(256):
            try:
                frame, (_, _, packet_type, *_) = readable.recvfrom(65536)
            except BlockingIOError:
                break
            except OSError:
                break
            if packet_type == socket.PACKET_OUTGOING or random.random() < loss:
                continue
            if delay == 0 and not queue:
                send(peer[readable], frame)
                continue
            count += 1
            heapq.heappush(queue, (time.monotonic() + delay, count, peer[readable], frame))
    while queue and queue[0][0] <= time.monotonic():
        send(*heapq.heappop(queue)[2:])
