"""The way from a Runner in a Pod to its owner, over connections that come and go.

I1. Whoever owns the Runner next hears in the first line what became of it.
I2. A lost connection ends nothing: calls come from the Gateway, not over it.
"""

import asyncio
import json
import os
import random
from collections.abc import Callable

from .. import limits
from ..instance_log import say
from .artifact import PodCommand
from .files import ArchiveError, fetch_artifact, reason_of
from .owner import OwnerAddress, OwnerRefused


class PodChannel:
    """A ControlChannel to an owner elsewhere. The files of the Revision go below `directory`;
    `runtime` is the name of the runtime that this is. Garbage is not obeyed, and ends nothing."""

    def __init__(
        self,
        owner: OwnerAddress,
        runtime: str,
        directory: str,
        on_command: Callable[[dict], None],
        on_garbage: Callable[[], None],
        on_close: Callable[[], None],
    ) -> None:
        self._owner = owner
        self._runtime = runtime
        self._directory = directory
        self._on_command = on_command
        self._port = 0
        self._state: dict = {"phase": "warm"}
        self._writer: asyncio.StreamWriter | None = None
        self._connecting: asyncio.Task | None = None
        self._specialising: asyncio.Task | None = None
        self._failures = 0
        self._closed = False

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def report(self, report: dict) -> None:
        """Never waits. What cannot be sent now is in the next hello."""
        kind = report["type"]
        if kind == "warm":
            if report["port"] == 0:
                # The Runner has said why; nobody could call it.
                os._exit(1)
            self._port = report["port"]
            self._connecting = self._loop.create_task(self._keep_connected())
            return
        if self._state["phase"] == "loading" and kind in ("ready", "failed"):
            self._state = {"phase": kind, "instance": self._state["instance"]}
            if kind == "failed":
                self._state["failure"] = report["failure"]
        self._send(report)

    async def close(self) -> None:
        """Ends the connection once all reports are sent, or after a moment."""
        self._closed = True
        writer, self._writer = self._writer, None
        if self._connecting is not None and writer is not None:
            writer.close()
            await asyncio.wait({self._connecting}, timeout=limits.OWNER_GOODBYE_SECONDS)

    async def _keep_connected(self) -> None:
        unreachable = (OSError, EOFError, ValueError, asyncio.LimitOverrunError, OwnerRefused)
        while not self._closed:
            try:
                await self._connection()
                self._failures = 0
            except unreachable as error:
                self._complain(error)
            if self._closed:
                return
            # Whoever was left by an owner that ended is not to come to the next one all at once.
            longest = limits.RECONNECT_SECONDS_MAX
            delay = min(longest, limits.RECONNECT_SECONDS * 2 ** min(self._failures, 16))
            await asyncio.sleep(delay * (0.5 + random.random() / 2))
            self._failures += 1

    async def _connection(self) -> None:
        """Connects, and returns when the connection is over."""
        reader, writer = await self._owner.connect()
        self._failures = 0
        self._writer = writer
        self._send(
            {"type": "hello", "runtime": self._runtime, "port": self._port, "state": self._state}
        )
        try:
            while (line := await reader.readline()).endswith(b"\n"):
                self._on_line(line)
        except OSError:
            # A broken connection is a closed one.
            pass
        except ValueError:
            say("Found a message that is too long")
        finally:
            self._writer = None
            writer.transport.abort()

    def _on_line(self, line: bytes) -> None:
        try:
            command = PodCommand(line)
        except (ValueError, RecursionError):
            # A newer owner may know more; what is not understood is not obeyed.
            say("Found a message that is no command")
            return
        phase = self._state["phase"]
        if command.type == "specialise":
            if phase == "warm":
                given = command.specialisation
                names = ("namespace", "revision", "instance")
                instance = {name: given[name] for name in names}
                self._state = {"phase": "loading", "instance": instance}
                self._specialising = self._loop.create_task(self._specialise(command))
            return
        if command.type == "drain" and phase != "warm":
            self._state = {"phase": "draining", "instance": self._state["instance"]}
        self._on_command({"type": command.type})

    async def _specialise(self, command: PodCommand) -> None:
        # A call that waits at the Gateway comes by its own way while the files are unpacked.
        self._on_command({"type": "expect"})
        self.report({"type": "expecting"})
        try:
            source = await asyncio.to_thread(
                fetch_artifact, command.artifact, self._directory, self._owner
            )
        except (ArchiveError, OSError) as error:
            failure = {"code": "LoadError", "message": reason_of(error)}
            self._on_command({"type": "refuse"})
            self.report({"type": "failed", "failure": failure})
            return
        specialisation = {**command.specialisation, "sourceDirectory": source}
        self._on_command({"type": "specialise", "specialisation": specialisation})

    def _send(self, message: dict) -> None:
        if self._writer is not None:
            self._writer.write(json.dumps(message).encode() + b"\n")

    def _complain(self, error: BaseException) -> None:
        # The first failure of a row tells it all.
        if self._failures == 0:
            reason = reason_of(error)
            say(f"Cannot reach the controller, and goes on trying: {reason}")
