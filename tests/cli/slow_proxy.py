"""The way to a host for `ssh -o ProxyCommand`, which a test can slow down, silence or cut.

    python3 slow_proxy.py HOST PORT FILE

FILE says how the way is at this moment: nothing or no file, as it is; a number, so many bytes a second
each way; "silent": bytes get lost from now on, as when a cable is pulled; "cut": it ends at once.
"""

import os
import select
import socket
import sys
import time


def state_in(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def main():
    host, port, path = sys.argv[1:4]
    if state_in(path) in ("cut", "silent"):
        sys.exit("the way is cut")
    server = socket.create_connection((host, int(port)), 10)
    ways = {0: lambda data: server.sendall(data), server.fileno(): lambda data: write_all(1, data)}
    is_lost = False
    while ways:
        state = state_in(path)
        is_lost = is_lost or state == "silent"
        if state == "cut":
            return
        ready, _, _ = select.select(list(ways), [], [], 0.1)
        most = max(1, int(state) // 20) if state.isdigit() else 1 << 16
        for each in ready:
            data = os.read(each, most)
            if not data:
                return
            if not is_lost:
                ways[each](data)
        if state.isdigit() and ready:
            time.sleep(0.05)


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data):]


if __name__ == "__main__":
    main()
