"""One call of the function, from its request to the end of its answer.

I1. It is answered once: by the handler's result, its failure, the timeout or a refused body,
    whichever comes first; what comes later changes nothing.
I2. Only the loop's thread touches it; handlers in threads hand over what they have.
I3. The timeout bounds the time until the answer begins, then every time in which nothing of it
    is sent: an answer may stream for as long as it has something to say. Looked at once per
    timeout, so that a silent stream is cut off after twice that time at the latest.
I4. Nothing here reaches another call.
"""

import asyncio
import threading
from typing import TYPE_CHECKING

from .failure import decide_failure, describe_error
from .instance_log import CallLog, say
from .request_head import RequestHead
from .response_head import BODILESS, format_head
from .trace_context import TraceContext, read_trace_context
from .workers import CallCancelled, Job

if TYPE_CHECKING:
    from .asgi_websocket import WebSocket
    from .body_inbox import BodyInbox
    from .connection import Connection
    from .function_server import FunctionServer

plain_text = (("content-type", "text/plain; charset=utf-8"),)


class CallOver(OSError):
    """Nobody waits for this part of an answer any more. An OSError, as ASGI wants it of `send`."""


class Call:
    __slots__ = (
        "server",
        "connection",
        "head",
        "body",
        "inbox",
        "socket",
        "request_id",
        "log",
        "began",
        "deadline",
        "job",
        "task",
        "cancelled",
        "view",
        "_answered",
        "_closed",
        "_streaming",
        "sent",
        "status",
        "_seen",
        "_left",
        "_failed",
        "_ended",
    )

    def __init__(
        self, server: "FunctionServer", connection: "Connection", head: RequestHead, now: float
    ) -> None:
        self.server = server
        self.connection = connection
        self.head = head
        self.body = b""
        # Where its body comes to, for those who take it as it comes.
        self.inbox: "BodyInbox | None" = None
        # What speaks for it, where its client asks for a WebSocket.
        self.socket: "WebSocket | None" = None
        self.request_id = head.headers.get("x-request-id") or server.next_id()
        self.log = CallLog(self.request_id)
        self.began = now
        self.deadline = now + server.specialisation.timeout
        # What runs the handler: one of these, once it runs.
        self.job: Job | None = None
        self.task: asyncio.Task | None = None
        # Set when the caller no longer waits; made when somebody asks.
        self.cancelled: threading.Event | None = None
        # What the style of the handler, or a module that it imports, keeps for this call.
        self.view: dict[str, object] = {}
        self._answered = False
        self._closed = False
        self._streaming = False
        # Bytes of its answer that were sent, and its status; 0 when there is none.
        self.sent = 0
        self.status = 0
        self._seen = -1
        self._left: int | None = None
        self._failed = False
        self._ended: asyncio.Event | None = None

    @property
    def over(self) -> bool:
        """Whether an answer was decided, or nobody is left to get one."""
        return self._answered or self._closed

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def trace(self) -> TraceContext | None:
        """The caller's position in a distributed trace."""
        found = self.view.get("trace", self)
        if found is self:
            found = self.view["trace"] = read_trace_context(self.head.headers)
        return found

    def outgoing_headers(self) -> dict[str, str]:
        """What requests of its handler pass on of the trace, one span for all of them."""
        headers = self.view.get("outgoing")
        if headers is None:
            trace = self.trace
            with_b3 = self.server.specialisation.compatibility is not None
            headers = {} if trace is None else trace.outgoing(with_b3)
            self.view["outgoing"] = headers
        return headers

    def begin(self, body: bytes) -> None:
        """The whole request is here."""
        self.body = body
        if not self._closed:
            self.server.start(self)

    def answer(self, head: bytes, body: bytes, status: int) -> None:
        """A whole answer of the handler's; `head` is made by `format_head`."""
        if self.over:
            return
        self._answered = True
        self._write_whole(head, body, status)

    def fail(self, error: BaseException) -> None:
        """The handler raised: answers for it, and puts its stack into the log."""
        status, text = decide_failure(error, self.server.specialisation.compatibility)
        if status >= 500:
            self._tell(error)
        if not self.over:
            self._failed = status >= 500
            self.answer_text(status, text)
        elif self._streaming and not self._closed:
            # Half an answer is out: only a broken connection tells that it is not whole.
            self._failed = True
            self.connection.abort()

    def note_failure(self, error: BaseException) -> None:
        """Counts the call as failed, and puts what its handler raised into the log."""
        self._failed = True
        self._tell(error)

    def _tell(self, error: BaseException) -> None:
        is_echo = isinstance(error, (CallCancelled, asyncio.CancelledError, CallOver))
        if not (is_echo and self.over):
            say(describe_error(error), self.log)

    def answer_text(self, status: int, text: str) -> None:
        """A plain answer of the Runner's own."""
        self._answered = True
        head = format_head(status, (*plain_text, ("x-request-id", self.request_id)))
        self._write_whole(head, text.encode("utf-8", "replace"), status)

    def refuse(self, status: int, text: str) -> None:
        """The request itself is at fault."""
        if not self.over:
            self.answer_text(status, text)

    async def begin_stream(self, head: bytes, status: int, length: int | None = None) -> None:
        """Begins an answer that comes in parts, `length` bytes in all where that is known."""
        if self.over:
            raise CallOver
        self._answered = True
        self._streaming = True
        self.status = status
        self._left = length
        self.connection.write_head(head, length, whole=False)

    async def send(self, chunk: bytes) -> None:
        """Sends one part, once there is room for it. Raises CallOver."""
        if self._closed:
            raise CallOver
        if not chunk or self.head.method == "HEAD":
            return
        if self._left is not None:
            self._left -= len(chunk)
            if self._left < 0:
                raise ValueError("Cannot send the answer: found more than its content-length")
        self.sent += len(chunk)
        self.connection.write_chunk(chunk, chunked=self._left is None)
        await self.connection.room()
        if self._closed:
            raise CallOver

    async def end_stream(self) -> None:
        if self._closed:
            return
        if self._left and self.head.method != "HEAD":
            raise ValueError("Cannot send the answer: found less than its content-length")
        if self._left is None and self.head.method != "HEAD":
            self.connection.write_last_chunk()
        self._close()
        self.connection.finish()

    def upgrade(self, head: bytes, socket: "WebSocket") -> None:
        """The connection speaks another protocol from here on, and has no deadline any more."""
        self._answered = True
        self.status = 101
        self.server.forget(self)
        self.connection.upgrade(head, socket)

    def time_out(self, now: float) -> bool:
        """Its time is up: whether it may go on, because its answer goes on (I3)."""
        timeout = self.server.specialisation.timeout
        if self._streaming and not self._closed and self.sent > self._seen:
            self._seen = self.sent
            self.deadline = now + timeout
            return True
        if not self._closed:
            missing = "nothing more of its answer" if self._streaming else "no answer"
            milliseconds = round(timeout * 1000)
            say(f"Call cancelled: found {missing} after {milliseconds} ms", self.log)
            self._failed = True
            if self._streaming:
                self.connection.abort()
            else:
                self.answer_text(408, "Request Timeout")
        self.cancel()
        return False

    def cancel(self) -> None:
        """Ends the handler, as far as that is possible."""
        self.tell()
        if self.task is not None:
            self.task.cancel()
        elif self.job is not None:
            self.server.workers.interrupt(self.job)

    def tell(self) -> None:
        """Nobody waits any more; the handler is told and may go on."""
        if self.cancelled is None:
            self.cancelled = threading.Event()
        self.cancelled.set()
        if self.inbox is not None:
            self.inbox.abandon()
        if self.socket is not None:
            self.socket.lost()
        if self._ended is not None:
            self._ended.set()

    async def disconnected(self) -> None:
        """Resolves when the answer is out or nobody waits for it."""
        if self._closed or (self.cancelled is not None and self.cancelled.is_set()):
            return
        if self._ended is None:
            self._ended = asyncio.Event()
        await self._ended.wait()

    def gone(self) -> None:
        """The connection is lost."""
        if self._closed:
            return
        is_stream = self._streaming
        self._close()
        self.tell()
        if is_stream and self.task is not None:
            self.task.cancel()
        elif self.socket is not None and self.task is not None:
            # It is told, and may end by itself for as long as a call may take.
            self.deadline = self.server.loop.time() + self.server.specialisation.timeout
            self.server.watch(self)

    def worked(self) -> None:
        """The handler has ended, its answer may still be on its way."""
        self.task = self.job = None
        if self.socket is not None:
            self.log.end()
        if self._closed:
            self.server.forget(self)

    def _write_whole(self, head: bytes, body: bytes, status: int) -> None:
        connection = self.connection
        self.status = status
        if status in BODILESS:
            connection.write_head(head, None, whole=True)
        elif self.head.method == "HEAD":
            connection.write_head(head, len(body), whole=True)
        else:
            self.sent = len(body)
            connection.write_head(head, len(body), whole=True, body=body)
        self._close()
        connection.finish()

    def _close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self.inbox is not None:
            self.inbox.abandon()
        if self._ended is not None:
            self._ended.set()
        if self.socket is None:
            self.log.end()
        self.server.left(self, self._failed)
        if self.task is None and self.job is None:
            self.server.forget(self)
