"""The Python that `tests/warm.py` hands out: sends its command to the server and ends as the command does.

It is started often, so it imports little.
"""

import os
import signal
import socket
import sys


def main() -> int:
    import json

    address, *arguments = sys.argv[1:]
    request = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    text = json.dumps(request).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [len(text).to_bytes(8, "big")], [0, 1, 2])
        connection.sendall(text)
        status = connection.recv(16)
    if not status:
        sys.stderr.write("the warm Python has ended\n")
        return 70
    if int(status) < 0:
        if -int(status) != signal.SIGKILL:
            signal.signal(-int(status), signal.SIG_DFL)
        os.kill(os.getpid(), -int(status))
    return int(status)


if __name__ == "__main__":
    raise SystemExit(main())
