"""One connection: requests in, answers out, one after the other.

I1. One call at a time; what a client sends ahead of its answer waits, up to a bound.
I2. After a request that was refused, or whose body was not read to its end, the connection
    closes: nobody could tell where the next request begins.
I3. `expires_at` says until when it may stay as it is without a call; the server looks now and then.
"""

import asyncio
import math
from typing import TYPE_CHECKING

from . import limits
from .body_inbox import BodyInbox
from .request_body import BodyReader
from .request_head import Refused, RequestHead, parse_head
from .response_head import format_head

if TYPE_CHECKING:
    from .asgi_websocket import WebSocket
    from .call import Call
    from .function_server import FunctionServer

_continue = b"HTTP/1.1 100 Continue\r\n\r\n"


class Connection(asyncio.Protocol):
    def __init__(self, server: "FunctionServer") -> None:
        self._server = server
        self._loop = server.loop
        self._buffer = b""
        self._head: RequestHead | None = None
        self._call: "Call | None" = None
        self._reader: BodyReader | None = None
        self._advancing = False
        self._discarding = False
        self._paused = False
        self._keeps = True
        self._room: asyncio.Event | None = None
        # Who reads what comes, once it is no longer HTTP.
        self._socket: "WebSocket | None" = None
        self.expires_at = self._loop.time() + limits.HEADER_SECONDS

    # What asyncio calls.

    def connection_made(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        transport.set_write_buffer_limits(high=limits.UNSENT_BYTES_MAX)
        self._server.opened(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._server.lost(self)
        self._head = None
        if self._room is not None:
            self._room.set()
        if self._call is not None:
            self._call.gone()

    def data_received(self, data: bytes) -> None:
        if self._socket is not None:
            self._socket.feed(data)
            return
        self._buffer = self._buffer + data if self._buffer else data
        self._advance()

    def eof_received(self) -> bool:
        # Whoever closes its side while it waits mostly went away. It may still get its answer.
        self._keeps = False
        call = self._call
        if call is None or self._reader is not None or call.over or call.socket is not None:
            return False
        call.tell()
        return True

    def pause_writing(self) -> None:
        self._room = asyncio.Event()

    def resume_writing(self) -> None:
        if self._room is not None:
            self._room.set()
            self._room = None

    # What the server and its calls use.

    @property
    def idle(self) -> bool:
        """Whether nothing is asked for, nor half asked for."""
        return self._head is None and not self._buffer and not self._discarding

    @property
    def closing(self) -> bool:
        return self._transport.is_closing()

    def open(self, call: "Call", streams: bool) -> None:
        """The request goes to the function; its body, if it has one, comes first, or beside it."""
        self._call = call
        head = call.head
        if not head.has_body:
            call.begin(b"")
            return
        bytes_max = self._server.specialisation.body_bytes_max
        self._reader = BodyReader(head.length, head.chunked, bytes_max)
        if head.length > bytes_max:
            self._refuse(Refused(413, "Payload Too Large"))
            return
        if head.expects_continue and not self._buffer:
            self._transport.write(_continue)
        if streams:
            call.inbox = BodyInbox(self.resume_reading)
            call.begin(b"")

    def resume(self, head: RequestHead) -> None:
        """A request that was held back is looked at again."""
        if not self.closing:
            self._route(head)
            self._advance()

    def reply(
        self,
        status: int,
        text: str,
        content_type: str = "text/plain",
        *,
        fields: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """A short answer that needs no function."""
        if self._head is not None and self._head.has_body:
            self._reader = BodyReader(self._head.length, self._head.chunked, 0)
        head = format_head(status, (("content-type", f"{content_type}; charset=utf-8"), *fields))
        content = text.encode()
        is_head = self._head is not None and self._head.method == "HEAD"
        self.write_head(head, len(content), whole=True, body=b"" if is_head else content)
        self.finish()

    def write_head(
        self, head: bytes, length: int | None, *, whole: bool, body: bytes = b""
    ) -> None:
        request = self._head
        is_old = request is not None and request.version == "HTTP/1.0"
        if not whole and length is None and is_old:
            # HTTP/1.0 knows no chunks: the end of the connection is the end of the answer.
            self._keeps = False
        keeps = (
            self._keeps
            and request is not None
            and request.keeps_alive
            and self._reader is None
            and not self._server.draining
        )
        self._keeps = keeps
        parts = [head, self._server.date.now()]
        if length is not None:
            parts.append(b"content-length: %d\r\n" % length)
        elif not whole and not is_old:
            parts.append(b"transfer-encoding: chunked\r\n")
        if not keeps:
            parts.append(b"connection: close\r\n")
        elif is_old:
            parts.append(b"connection: keep-alive\r\n")
        parts.append(b"\r\n")
        parts.append(body)
        self._transport.write(b"".join(parts))

    def write_chunk(self, chunk: bytes, *, chunked: bool) -> None:
        if chunked and self._is_chunked:
            chunk = b"%x\r\n%b\r\n" % (len(chunk), chunk)
        self._transport.write(chunk)

    def write_last_chunk(self) -> None:
        if self._is_chunked:
            self._transport.write(b"0\r\n\r\n")

    async def room(self) -> None:
        """Resolves once the client has taken enough of what was written."""
        if self._room is not None:
            await self._room.wait()

    def finish(self) -> None:
        """An answer is out."""
        self._call = None
        self._head = None
        if self._reader is not None:
            self._discard()
        elif not self._keeps or self._server.draining:
            self._transport.close()
        else:
            self.expires_at = self._loop.time() + limits.KEEP_ALIVE_SECONDS
            self.resume_reading()
            if self._buffer and not self._advancing:
                self._advance()

    def upgrade(self, head: bytes, socket: "WebSocket") -> None:
        """It is no longer HTTP; what was sent ahead goes the same way as what comes."""
        self._transport.write(head)
        self._socket = socket
        self.resume_reading()
        data, self._buffer = self._buffer, b""
        if data:
            socket.feed(data)

    def write(self, data: bytes) -> None:
        self._transport.write(data)

    def end_writing(self) -> None:
        """The client may read what was written, and then has the end of it."""
        if self._transport.can_write_eof():
            self._transport.write_eof()

    def expire(self, seconds: float) -> None:
        """It ends after this time, if nobody ends it before."""
        self.expires_at = self._loop.time() + seconds

    @property
    def has_room(self) -> bool:
        """Whether the client takes what is written."""
        return self._room is None

    def pause_reading(self) -> None:
        if not self._paused:
            self._paused = True
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if self._paused:
            self._paused = False
            self._transport.resume_reading()

    def close(self) -> None:
        self._transport.close()

    def abort(self) -> None:
        self._transport.abort()

    # How a request is read.

    @property
    def _is_chunked(self) -> bool:
        return self._head is not None and self._head.version == "HTTP/1.1"

    def _advance(self) -> None:
        if self._advancing:
            return
        self._advancing = True
        try:
            while self._buffer and not self.closing and self._take():
                pass
        except Refused as refused:
            self._refuse(refused)
        finally:
            self._advancing = False

    def _take(self) -> bool:
        """Takes one step in what was sent; false when it has to wait."""
        reader = self._reader
        if reader is not None:
            data, self._buffer = self._buffer, b""
            self._buffer = reader.feed(data)
            inbox = None if self._discarding or self._call is None else self._call.inbox
            if inbox is not None:
                inbox.put(reader.taken())
            if not reader.done:
                if inbox is not None and inbox.full:
                    self.pause_reading()
                return False
            self._reader = None
            if self._discarding:
                self._transport.close()
            elif inbox is not None:
                inbox.end()
            elif self._call is not None:
                self._call.begin(reader.body())
            return True
        if self._head is not None:
            if len(self._buffer) > limits.PIPELINED_BYTES_MAX:
                self.pause_reading()
            return False
        return self._take_head()

    def _take_head(self) -> bool:
        buffer = self._buffer
        # RFC 9112, 2.2: an empty line before a request is passed over.
        while buffer.startswith(b"\r\n"):
            buffer = self._buffer = buffer[2:]
        end = buffer.find(b"\r\n\r\n", 0, limits.HEADER_BYTES_MAX)
        if end < 0:
            if len(buffer) >= limits.HEADER_BYTES_MAX:
                raise Refused(431, "Request Header Fields Too Large")
            if b"\n\n" in buffer:
                raise Refused(400, "Cannot read the request: found a stray LF")
            self.expires_at = min(self.expires_at, self._loop.time() + limits.HEADER_SECONDS)
            return False
        head = parse_head(buffer[:end])
        self._buffer = buffer[end + 4:]
        self._route(head)
        return True

    def _route(self, head: RequestHead) -> None:
        self._head = head
        self.expires_at = math.inf
        self._server.route(self, head)

    def _refuse(self, refused: Refused) -> None:
        self._keeps = False
        if self._discarding:
            self._transport.abort()
        elif self._call is not None and self._call.over:
            # Half an answer is out: only a broken connection tells that it is not whole.
            self._transport.abort()
        elif self._call is not None:
            if refused.status != 413:
                # Where its body ends cannot be told, so the rest of it cannot be passed over.
                self._reader = None
            self._call.refuse(refused.status, refused.text)
        else:
            self._buffer = b""
            self.reply(refused.status, refused.text)

    # Closing a connection on which the client still sends would reset it, and the client would
    # never see the answer. So its body is taken in first; but not however much that is.
    def _discard(self) -> None:
        reader = self._reader
        if reader is None or reader.done:
            self._transport.close()
            return
        self._discarding = True
        self.resume_reading()
        self.expires_at = self._loop.time() + limits.REFUSED_BODY_SECONDS
        reader.discard(reader.size + limits.REFUSED_BODY_BYTES_MAX)
        if self._buffer and not self._advancing:
            self._advance()
