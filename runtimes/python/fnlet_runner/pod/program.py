"""What a Runner in a Pod is started with."""

import os
from functools import partial

from ..runner import run
from .channel import PodChannel
from .owner import OwnerAddress


def run_in_pod(argv: list[str]) -> None:
    """Runs the Runner of a Pod: it connects to its owner, is given the code of one Revision, and
    serves it on a port of the Pod whether the owner is there or not. A signal drains it.

    `argv` is `--runtime <name> --owner <origin> --token <file> --authority <file>
    --directory <path> --port <n>`, and `--host <ip>` where not all addresses are to answer;
    SystemExit for one that is missing.
    """
    given = dict(zip(argv, argv[1:]))

    def argument(flag: str) -> str:
        if flag not in given:
            raise SystemExit(f"Cannot start the Runner: found no {flag}")
        return given[flag]

    directory = argument("--directory")
    owner = OwnerAddress(argument("--owner"), argument("--token"), argument("--authority"))
    open_control = partial(PodChannel, owner, argument("--runtime"), directory)
    os.makedirs(directory, exist_ok=True)
    # Of an earlier life of this container: nobody listens there any more.
    socket = os.path.join(directory, "socket")
    if os.path.lexists(socket):
        os.unlink(socket)
    host = given.get("--host", "0.0.0.0")
    address = ["--socket", socket, "--host", host, "--port", argument("--port")]
    run(address, open_control)
