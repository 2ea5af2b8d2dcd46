"""The scope `websocket` of ASGI apps, from the handshake to the end of its connection.

I1. Once opened, it has no deadline. Once closed, its app has the time of one call to end.
I2. Messages that the app has not taken are bounded: beyond that the connection is not read from.
I3. The app is told once why it ended, after all that came before.
I4. A close that we begin is over when the client answers it, or after some seconds.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from . import limits
from .call import CallOver
from .response_head import format_head
from .websocket_frames import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    CloseCode,
    FrameError,
    FrameReader,
    format_close,
    format_frame,
    read_close,
    read_text,
)
from .websocket_handshake import decide_refusal, format_acceptance

if TYPE_CHECKING:
    from .asgi_style import Exchange, Message
    from .call import Call

# What a message takes besides its content, so that there are not endless empty ones.
_message_bytes = 64


class WebSocket:
    """`receive` and `send` of one WebSocket, and what its connection tells it."""

    def __init__(self, call: "Call", denial: "Exchange") -> None:
        self._call = call
        self._denial = denial
        # connecting, then open and closed, or denied.
        self._state = "connecting"
        self._told = False
        self._inbox: deque["Message"] = deque()
        self._size = 0
        self._end: tuple[int, str] | None = None
        self._changed = asyncio.Event()
        bytes_max = call.server.specialisation.body_bytes_max
        self._reader: FrameReader | None = FrameReader(
            min(int(bytes_max), limits.WEBSOCKET_MESSAGE_BYTES_MAX)
        )

    def refuse(self) -> bool:
        """Answers what is no handshake; whether it was none."""
        refusal = decide_refusal(self._call.head)
        if refusal is None:
            return False
        status, text = refusal
        headers = [("content-type", "text/plain; charset=utf-8")]
        if status == 426:
            headers.append(("sec-websocket-version", "13"))
        self._call.answer(format_head(status, headers), text.encode(), status)
        return True

    # What the app calls.

    async def receive(self) -> "Message":
        if not self._told:
            self._told = True
            return {"type": "websocket.connect"}
        while not self._inbox and self._end is None:
            self._changed.clear()
            await self._changed.wait()
        if not self._inbox:
            code, reason = self._end or (CloseCode.LOST, "")
            return {"type": "websocket.disconnect", "code": int(code), "reason": reason}
        message = self._inbox.popleft()
        was_full = self._is_full
        self._size -= _size_of(message)
        if was_full and not self._is_full:
            self._call.connection.resume_reading()
        return message

    async def send(self, message: "Message") -> None:
        kind = message["type"]
        if self._state == "connecting":
            await self._answer(kind, message)
        elif self._state == "denied" and kind == "websocket.http.response.body":
            await self._deny(kind, message)
        elif self._state == "open" and kind == "websocket.send":
            await self._send_data(message)
        elif self._state == "open" and kind == "websocket.close":
            self._close(message.get("code") or CloseCode.NORMAL, message.get("reason") or "")
        elif self._end is not None:
            raise CallOver("Cannot send: the WebSocket is closed")
        else:
            raise RuntimeError(f"Cannot send {kind!r}: the WebSocket is {self._state}")

    def finish(self) -> None:
        """The app has ended."""
        if self._end is None and self._state == "connecting" or not self._call.over:
            raise RuntimeError("Cannot open the WebSocket: the ASGI app ended without an answer")
        if self._state == "open":
            self._close(CloseCode.NORMAL)

    def fail(self, error: BaseException) -> None:
        """The app has raised."""
        # Before an answer it is one; later it is for the log.
        self._call.fail(error)
        if self._state == "open":
            self._close(CloseCode.APP_FAILED)

    # What its connection, and the server, tell.

    def feed(self, data: bytes) -> None:
        if self._reader is None:
            return
        try:
            for kind, payload in self._reader.feed(data):
                self._take(kind, payload)
        except FrameError as error:
            self._break_off(error)
        if self._is_full and self._state == "open":
            self._call.connection.pause_reading()

    def lost(self) -> None:
        """Nobody is there any more."""
        if self._state == "open":
            self._state = "closed"
        self._set_end(CloseCode.LOST, "")

    def go_away(self) -> None:
        """The Instance ends."""
        if self._state == "open":
            self._close(CloseCode.GOING_AWAY)

    # How it works.

    @property
    def _is_full(self) -> bool:
        return self._size >= limits.UNREAD_BYTES_MAX

    async def _answer(self, kind: str, message: "Message") -> None:
        if self._end is not None:
            raise CallOver("Cannot answer: the client is gone")
        if kind == "websocket.accept":
            self._accept(message)
        elif kind == "websocket.close":
            self._state = "denied"
            self._set_end(CloseCode.LOST, "")
            self._call.refuse(403, "Forbidden")
        elif kind == "websocket.http.response.start":
            self._state = "denied"
            await self._deny(kind, message)
        else:
            raise RuntimeError(f"Cannot send {kind!r}: expected websocket.accept before it")

    def _accept(self, message: "Message") -> None:
        call = self._call
        headers = [
            (bytes(name).decode("latin-1"), bytes(value).decode("latin-1"))
            for name, value in message.get("headers", ())
        ]
        subprotocol = message.get("subprotocol")
        if subprotocol is not None:
            headers.append(("sec-websocket-protocol", str(subprotocol)))
        acceptance = format_acceptance(call.head, headers)
        self._state = "open"
        call.upgrade(acceptance, self)
        if call.server.draining:
            self.go_away()

    async def _deny(self, kind: str, message: "Message") -> None:
        self._set_end(CloseCode.LOST, "")
        await self._denial.send({**message, "type": kind.removeprefix("websocket.")})

    async def _send_data(self, message: "Message") -> None:
        data = message.get("bytes")
        text = message.get("text")
        if (data is None) == (text is None):
            raise ValueError("Cannot send: expected either bytes or text")
        frame = (
            format_frame(TEXT, str(text).encode())
            if data is None
            else format_frame(BINARY, bytes(data))
        )
        connection = self._call.connection
        connection.write(frame)
        await connection.room()
        if self._state != "open":
            raise CallOver("Cannot send: the WebSocket is closed")

    def _take(self, kind: int, payload: bytes) -> None:
        connection = self._call.connection
        if kind == CLOSE:
            code, reason = read_close(payload)
            if self._state == "open":
                connection.write(
                    format_frame(CLOSE, b"") if code == CloseCode.NO_STATUS else format_close(code)
                )
                self._state = "closed"
            self._set_end(code, reason)
            connection.close()
        elif self._state != "open" or kind == PONG:
            return
        elif kind == PING:
            # Who does not read its answers gets none: the last one would be enough.
            if connection.has_room:
                connection.write(format_frame(PONG, payload))
        else:
            is_text = kind == TEXT
            content = read_text(payload) if is_text else payload
            self._put({"type": "websocket.receive", "text" if is_text else "bytes": content})

    def _put(self, message: "Message") -> None:
        self._inbox.append(message)
        self._size += _size_of(message)
        self._changed.set()

    def _close(self, code: int, reason: str = "") -> None:
        frame = format_close(code, reason)
        connection = self._call.connection
        connection.write(frame)
        self._state = "closed"
        self._set_end(code, reason)
        # I4; what still comes is only looked at for the close with which the client answers.
        connection.expire(limits.WEBSOCKET_CLOSE_SECONDS)
        connection.resume_reading()

    # Where its frames end nobody knows any more: what it sends from here on means nothing.
    def _break_off(self, error: FrameError) -> None:
        if self._state == "open":
            self._close(error.code, str(error))
        self._call.connection.end_writing()
        self._reader = None

    def _set_end(self, code: int, reason: str) -> None:
        if self._end is None:
            self._end = (code, reason)
            self._changed.set()


def _size_of(message: "Message") -> int:
    content = message.get("text") or message.get("bytes") or b""
    return len(content) + _message_bytes
