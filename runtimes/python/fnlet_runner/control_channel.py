"""The Runner's end of the channel to its owner: one JSON document a line, both ways."""

import asyncio
import json
import os
from collections.abc import Callable
from typing import Protocol

from . import limits


class OwnerChannel(Protocol):
    """The way to whoever owns a Runner."""

    def open(self, loop: asyncio.AbstractEventLoop) -> None: ...

    def report(self, report: dict) -> None: ...

    async def close(self) -> None:
        """All reports are sent, as far as it can be had."""


_Listener = Callable[[], None]
OpenChannel = Callable[[Callable[[dict], None], _Listener, _Listener], OwnerChannel]
"""Makes one of `on_command`, `on_garbage` and `on_close`, as ControlChannel has them."""


class ControlChannel:
    """Reads commands from a descriptor that the owner left open, and reports on it.

    `on_command` hears each command; `on_garbage` that a line was none; `on_close` that the owner
    is gone. After the last two nothing more is read.
    """

    def __init__(
        self,
        fd: int,
        on_command: Callable[[dict], None],
        on_garbage: Callable[[], None],
        on_close: Callable[[], None],
    ) -> None:
        self._fd = fd
        self._on_command = on_command
        self._on_garbage = on_garbage
        self._on_close = on_close
        self._parts: list[bytes] = []
        self._size = 0

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        # Programs that user code starts must not hold the channel open.
        os.set_inheritable(self._fd, False)
        os.set_blocking(self._fd, False)
        self._loop = loop
        loop.add_reader(self._fd, self._read)

    def report(self, report: dict) -> None:
        line = json.dumps(report).encode() + b"\n"
        os.set_blocking(self._fd, True)
        try:
            while line:
                line = line[os.write(self._fd, line):]
        except OSError:
            # A broken channel is a closed one; reading tells.
            pass
        finally:
            os.set_blocking(self._fd, False)

    async def close(self) -> None:
        """Reports are sent at once; the end of the process tells the rest."""

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 65_536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._fd)
            self._on_close()
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._on_line(b"".join((*self._parts, line)))
            self._parts.clear()
            self._size = 0
        self._parts.append(rest)
        self._size += len(rest)
        if self._size > limits.CONTROL_LINE_BYTES_MAX:
            self._on_garbage()

    def _on_line(self, line: bytes) -> None:
        try:
            command = json.loads(line)
        except ValueError:
            command = None
        if isinstance(command, dict) and isinstance(command.get("type"), str):
            self._on_command(command)
        else:
            self._on_garbage()
