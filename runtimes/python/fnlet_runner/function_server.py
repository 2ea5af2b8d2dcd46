"""The HTTP side of a Runner: one set of routes behind a Unix socket and a TCP port.

I1. It listens before there is a function. Until one is loaded `/readyz` says so and calls get
    503; while one is being loaded, a few of them wait for it instead.
I2. Every call that was taken counts in `_open` until its answer is out or its caller is gone.
I3. Draining, it takes what was sent before: connections that the kernel holds, requests that lie
    unread. Then no connection is accepted and none is kept; calls on those that are still open
    are answered.
I4. `_timed` holds the calls whose handlers work, in the order of their deadlines: all have the
    same timeout, so the newest is the last to run out.
"""

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from . import limits
from .access_log import format_access, wants_access_log
from .call import Call
from .connection import Connection
from .instance_log import outside, say
from .metrics import CONTENT_TYPE, Metrics
from .request_head import RequestHead
from .response_head import DateLine
from .specialisation import Specialisation
from .workers import TooManyCalls, Workers

# The call was not looked at: whoever sent it may send it elsewhere.
UNLOADED = ("x-fnlet-unloaded", "1")

if TYPE_CHECKING:
    from .tracing import Tracing


class ServedFunction(Protocol):
    """A Function that is loaded, whatever the style of its handler."""

    streams: bool
    """Whether it takes bodies of requests as they come; else it starts when they are whole."""
    takes_websockets: bool

    def start(self, call: Call) -> None:
        """Begins to answer; never raises but TooManyCalls."""


class FunctionServer:
    specialisation: Specialisation

    def __init__(self, loop: asyncio.AbstractEventLoop, on_stuck: Callable[[], None]) -> None:
        self.loop = loop
        self.workers = Workers(loop, on_stuck)
        self.metrics = Metrics()
        self.date = DateLine()
        self.draining = False
        self._function: ServedFunction | None = None
        self._loading = False
        self._held: list[tuple[Connection, RequestHead]] = []
        self._servers: list[asyncio.Server] = []
        self._connections: set[Connection] = set()
        self._accepted = 0
        self._emptied: asyncio.Event | None = None
        self._sweep: asyncio.TimerHandle | None = None
        self._open: set[Call] = set()
        self._timed: dict[Call, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._ids = 0
        self._socket_path: str | None = None
        self._kyma_function: str | None = None
        # Makes spans; None where nobody wants any.
        self.tracing: "Tracing | None" = None
        self._logs_access = False

    async def listen_on_socket(self, path: str) -> None:
        self._socket_path = path
        server = await self.loop.create_unix_server(lambda: Connection(self), path, backlog=511)
        self._servers.append(server)

    async def listen_on_port(self, host: str, port: int) -> int:
        """The port that was chosen, 0 when none could be had: the socket is enough then."""
        try:
            server = await self.loop.create_server(
                lambda: Connection(self), host, port, backlog=511
            )
        except OSError as error:
            say(f"Cannot listen on {host}:{port}: {error}")
            return 0
        self._servers.append(server)
        return server.sockets[0].getsockname()[1]

    def expect_soon(self) -> None:
        """Code is on its way: calls may wait. `expect` or `refuse` follows."""
        self._loading = True

    def expect(self, specialisation: Specialisation) -> None:
        """A function is being loaded: calls may wait. `serve` or `refuse` follows."""
        self.specialisation = specialisation
        self._loading = True
        self._logs_access = wants_access_log(specialisation)
        if specialisation.compatibility == "kyma":
            self._kyma_function = specialisation.function

    def serve(self, function: ServedFunction) -> None:
        """From now on calls are answered by this function."""
        self._function = function
        self._release()

    def refuse(self) -> None:
        """The function could not be loaded."""
        self._release()

    def _release(self) -> None:
        self._loading = False
        held, self._held = self._held, []
        for connection, head in held:
            connection.resume(head)

    # What connections tell.

    def opened(self, connection: Connection) -> None:
        self._connections.add(connection)
        self._accepted += 1
        if self._sweep is None:
            self._sweep = self.loop.call_later(limits.SWEEP_SECONDS, self._sweep_connections)

    def lost(self, connection: Connection) -> None:
        self._connections.discard(connection)
        if self._emptied is not None and not self._connections:
            self._emptied.set()

    def _sweep_connections(self) -> None:
        self._sweep = None
        now = self.loop.time()
        for connection in list(self._connections):
            if connection.expires_at < now:
                connection.abort()
        # A server without connections has no timer either.
        if self._connections:
            self._sweep = self.loop.call_later(limits.SWEEP_SECONDS, self._sweep_connections)

    def route(self, connection: Connection, head: RequestHead) -> None:
        """Answers, or has answered, one request."""
        target = head.target
        function = self._function
        if target == "/healthz":
            connection.reply(200, "ok")
        elif target == "/readyz":
            is_ready = function is not None and not self.draining
            connection.reply(200 if is_ready else 503, "ok" if is_ready else "not ready")
        elif target == "/metrics":
            connection.reply(200, self.metrics.text(self._kyma_function), CONTENT_TYPE)
        elif function is not None:
            if head.wants_websocket and not function.takes_websockets:
                connection.reply(501, "Cannot open a WebSocket: expected an ASGI app here")
                return
            call = Call(self, connection, head, self.loop.time())
            self._open.add(call)
            if self.tracing is not None:
                self.tracing.begin(call)
            self.watch(call)
            connection.open(call, function.streams)
        elif self._loading and len(self._held) < limits.HELD_CALLS_MAX:
            self._held.append((connection, head))
        else:
            connection.reply(503, "No function is loaded", fields=(UNLOADED,))

    # What calls tell.

    def start(self, call: Call) -> None:
        try:
            if self._function is not None:
                self._function.start(call)
        except TooManyCalls:
            call.refuse(503, "Too many calls wait for this Instance")

    def next_id(self) -> str:
        # The Gateway names every call. For one that came around it, a number is enough.
        self._ids += 1
        return f"{self._ids:08}"

    def left(self, call: Call, failed: bool) -> None:
        """Its answer is out, or its caller is gone."""
        self._open.discard(call)
        if call.status != 101:
            self.metrics.observe(call.head.method, self.loop.time() - call.began, failed)
        if self.tracing is not None:
            self.tracing.end(call, failed)
        if self._logs_access:
            outside.write(1, format_access(call.head, call.status, call.sent))

    def watch(self, call: Call) -> None:
        """Its handler is to end by its deadline, which is the latest of all."""
        self._timed[call] = None
        if self._timer is None:
            self._timer = self.loop.call_at(call.deadline, self._time_out)

    def forget(self, call: Call) -> None:
        """Nothing of it is left, or it has no deadline."""
        self._timed.pop(call, None)

    def _time_out(self) -> None:
        self._timer = None
        now = self.loop.time()
        while self._timed:
            call = next(iter(self._timed))
            if call.deadline > now:
                self._timer = self.loop.call_at(call.deadline, self._time_out)
                return
            del self._timed[call]
            if call.time_out(now):
                self._timed[call] = None

    # The end.

    async def drain(self, seconds: float) -> None:
        """Takes no new connections and returns when every call is answered, or after `seconds`;
        what is left then is cut off."""
        self.draining = True
        if self._socket_path is not None:
            # From here on nobody connects any more, so that the kernel's queue comes to an end.
            try:
                os.unlink(self._socket_path)
            except OSError:
                pass
        await self._take_what_was_sent()
        for server in self._servers:
            server.close()
        for connection in list(self._connections):
            if connection.idle:
                connection.close()
        for call in list(self._open):
            if call.socket is not None:
                call.socket.go_away()
        if self._connections:
            self._emptied = asyncio.Event()
            try:
                await asyncio.wait_for(self._emptied.wait(), seconds)
            except TimeoutError:
                pass
        for call in list(self._open):
            call.cancel()
        for connection in list(self._connections):
            connection.abort()

    async def _take_what_was_sent(self) -> None:
        before = -1
        turns = 0
        while before < self._accepted and turns < limits.DRAIN_TURNS_MAX:
            before = self._accepted
            turns += 1
            # One turn of the loop accepts, the next one reads.
            for _ in range(3):
                await asyncio.sleep(0)
