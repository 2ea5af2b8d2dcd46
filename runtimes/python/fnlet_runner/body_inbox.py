"""The body of a request on its way to an app that takes it as it comes.

I1. It holds little more than its bound: beyond that the connection is not read from, until the app
    has taken what is there.
I2. Only the loop's thread touches it.
"""

import asyncio
from collections.abc import Callable

from . import limits


class BodyInbox:
    __slots__ = ("_parts", "_size", "_ended", "_abandoned", "_changed", "_on_room")

    def __init__(self, on_room: Callable[[], None]) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._ended = False
        self._abandoned = False
        self._changed: asyncio.Event | None = None
        self._on_room = on_room

    @property
    def full(self) -> bool:
        return self._size >= limits.UNREAD_BYTES_MAX

    def put(self, parts: list[bytes]) -> None:
        self._parts += parts
        self._size += sum(map(len, parts))
        if parts:
            self._change()

    def end(self) -> None:
        """That was all of it."""
        self._ended = True
        self._change()

    def abandon(self) -> None:
        """No more of it comes, or nobody asks for more."""
        self._abandoned = True
        self._change()

    async def take(self) -> tuple[bytes, bool] | None:
        """All that is there, once there is something, and whether more comes; None when the call
        is over before."""
        while not (self._parts or self._ended or self._abandoned):
            if self._changed is None:
                self._changed = asyncio.Event()
            self._changed.clear()
            await self._changed.wait()
        if self._abandoned and not self._ended:
            return None
        body = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        if not self._ended:
            self._on_room()
        return body, not self._ended

    def _change(self) -> None:
        if self._changed is not None:
            self._changed.set()
