"""ASGI 3 apps: http, websocket and lifespan, on the loop."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import unquote

from . import limits
from .current import variables_of
from .response_head import format_head
from .workers import CallCancelled

if TYPE_CHECKING:
    from .call import Call

Message = dict[str, object]


class AsgiFunction:
    streams = True
    takes_websockets = True

    def __init__(self, app: Callable) -> None:
        self._app = app
        self._state: dict[str, object] = {}
        self._lifespan: Lifespan | None = None

    async def open(self) -> None:
        """Starts the lifespan. Raises what the app says went wrong."""
        lifespan = Lifespan(self._app, self._state)
        if await lifespan.start():
            self._lifespan = lifespan

    async def close(self) -> None:
        if self._lifespan is not None:
            await self._lifespan.stop()

    def start(self, call: "Call") -> None:
        loop = call.server.loop
        run = self._run_websocket if call.head.wants_websocket else self._run
        call.task = loop.create_task(run(call), context=variables_of(call))

    async def _run(self, call: "Call") -> None:
        exchange = Exchange(call)
        try:
            await self._app(self._scope(call), exchange.receive, exchange.send)
            await exchange.end()
        except BaseException as error:
            call.fail(error)
        finally:
            call.worked()

    async def _run_websocket(self, call: "Call") -> None:
        from .asgi_websocket import WebSocket
        from .websocket_handshake import offered_subprotocols

        socket = call.socket = WebSocket(call, Exchange(call))
        scope = self._scope(call)
        del scope["method"]
        scope |= {
            "type": "websocket",
            "scheme": "wss" if scope["scheme"] == "https" else "ws",
            "subprotocols": offered_subprotocols(call.head),
            "extensions": {"websocket.http.response": {}},
        }
        try:
            if not socket.refuse():
                await self._app(scope, socket.receive, socket.send)
                socket.finish()
        except BaseException as error:
            socket.fail(error)
        finally:
            call.worked()

    def _scope(self, call: "Call") -> Message:
        head = call.head
        forwarded = head.headers.get("x-forwarded-proto", "http").partition(",")[0].strip()
        client = head.headers.get("x-forwarded-for", "").partition(",")[0].strip()
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": head.version.removeprefix("HTTP/"),
            "method": head.method,
            "scheme": "https" if forwarded == "https" else "http",
            "path": unquote(head.path),
            "raw_path": head.path.encode("latin-1"),
            "query_string": head.query.encode("latin-1"),
            "root_path": "",
            "headers": [
                (name.encode("latin-1"), value.encode("latin-1")) for name, value in head.fields
            ],
            "server": None,
            "client": (client, 0) if client else None,
            "state": self._state.copy(),
        }


class Exchange:
    """`receive` and `send` of one call."""

    def __init__(self, call: "Call") -> None:
        self._call = call
        self._received = False
        self._start: tuple[int, list[tuple[str, str]], int | None] | None = None
        self._begun = False
        self._ended = False

    async def receive(self) -> Message:
        if not self._received:
            body, more = await self._next_of_body()
            self._received = not more
            if body is not None:
                return {"type": "http.request", "body": body, "more_body": more}
        await self._call.disconnected()
        return {"type": "http.disconnect"}

    async def _next_of_body(self) -> tuple[bytes | None, bool]:
        inbox = self._call.inbox
        return (b"", False) if inbox is None else await inbox.take() or (None, False)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begin(message)
        elif message["type"] == "http.response.body":
            more = bool(message.get("more_body", False))
            await self._send_body(bytes(message.get("body", b"")), more)

    async def end(self) -> None:
        """The app is done."""
        if not self._ended and not self._call.over:
            raise RuntimeError("Cannot answer: the ASGI app ended without a response")

    def _begin(self, message: Message) -> None:
        headers: list[tuple[str, str]] = []
        length: int | None = None
        for raw_name, raw_value in message.get("headers", ()):
            name, value = bytes(raw_name).decode("latin-1"), bytes(raw_value).decode("latin-1")
            if name.lower() == "content-length" and value.isdigit():
                length = int(value)
            else:
                headers.append((name, value))
        self._start = (message["status"], headers, length)

    async def _send_body(self, body: bytes, more: bool) -> None:
        if self._start is None or self._ended:
            raise RuntimeError("Cannot send a body: expected http.response.start before it, once")
        status, headers, length = self._start
        call = self._call
        self._ended = not more
        if not self._begun and not more:
            if call.head.method == "HEAD" and length and not body:
                await call.begin_stream(format_head(status, headers), status, length)
                await call.end_stream()
            else:
                call.answer(format_head(status, headers), body, status)
            return
        if not self._begun:
            self._begun = True
            await call.begin_stream(format_head(status, headers), status, length)
        await call.send(body)
        if not more:
            await call.end_stream()


class Lifespan:
    """The scope `lifespan`, which an app may not know."""

    def __init__(self, app: Callable, state: dict[str, object]) -> None:
        self._app = app
        self._state = state
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._answers: asyncio.Queue[Message] = asyncio.Queue()

    async def start(self) -> bool:
        """Whether the app has one. Raises LifespanFailed."""
        scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": self._state}
        self._task = asyncio.ensure_future(
            self._app(scope, self._inbox.get, self._answers.put)
        )
        self._inbox.put_nowait({"type": "lifespan.startup"})
        answer = asyncio.ensure_future(self._answers.get())
        await asyncio.wait((self._task, answer), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            # An app that raises here has no lifespan (ASGI, lifespan protocol).
            self._task.exception()
            return False
        message = answer.result()
        if message["type"] == "lifespan.startup.failed":
            raise LifespanFailed(str(message.get("message", "")))
        return True

    async def stop(self) -> None:
        self._inbox.put_nowait({"type": "lifespan.shutdown"})
        try:
            await asyncio.wait_for(self._answers.get(), limits.LIFESPAN_SECONDS)
        except (TimeoutError, CallCancelled):
            pass


class LifespanFailed(Exception):
    """The app said that it cannot start."""
