"""A Runner without an owner: the program that it is part of gives it its code."""

import json
import os
import socket
import tempfile
import threading
from functools import partial

from .control_channel import ControlChannel
from .runner import run


def serve(specialisation: dict, host: str, port: int) -> None:
    """Serves one function. Ends with 1 when its code cannot be loaded or the port cannot be had; a
    signal drains it."""
    own, runners = socket.socketpair()
    command = {"type": "specialise", "specialisation": specialisation}
    # Both in a thread: the command may be longer than what the pair holds.
    threading.Thread(target=_own, args=(own, command, host), daemon=True).start()
    # Nobody calls there, but a Runner has one; where an earlier run cannot have left one.
    path = os.path.join(tempfile.mkdtemp(prefix="function-"), "socket")
    address = ["--socket", path, "--host", host, "--port", str(port)]
    run(address, partial(ControlChannel, runners.detach()))


def _own(own: socket.socket, command: dict, host: str) -> None:
    own.sendall(json.dumps(command).encode() + b"\n")
    for line in own.makefile("r", encoding="utf-8"):
        report = json.loads(line)
        if report["type"] == "warm":
            if report["port"] == 0:
                # The Runner has said why.
                os._exit(1)
            _say(f"Listening on {host}:{report['port']}")
        elif report["type"] == "failed":
            failure = report["failure"]
            place = ":".join(str(failure[key]) for key in ("file", "line") if key in failure)
            _say(f"{failure['code']}: {failure['message']} ({place})\n{failure.get('stack', '')}")
            os._exit(1)


def _say(text: str) -> None:
    os.write(2, f"{text}\n".encode())
