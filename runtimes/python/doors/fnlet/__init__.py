"""What functions import as `fnlet`: the request, the context and the response of a handler.

    from fnlet import Context, Request, Response

    def handler(request: Request, context: Context) -> Response:
        return Response({"hello": request.query.get("name", "world")}, status=201)
"""

import json as _json
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import IO

from fnlet_runner.failure import HttpError
from fnlet_runner.form_data import FileUpload, FormsDict
from fnlet_runner.instance_log import CallLog
from fnlet_runner.request_view import RequestHeaders, RequestView
from fnlet_runner.workers import CallCancelled

__all__ = [
    "CallCancelled",
    "Context",
    "FileUpload",
    "FormsDict",
    "HttpError",
    "Log",
    "Request",
    "RequestHeaders",
    "Response",
]

Body = (
    str
    | bytes
    | bytearray
    | dict
    | list
    | int
    | float
    | bool
    | None
    | IO[bytes]
    | Iterator[object]
    | AsyncIterator[object]
)


class Request(RequestView):
    """The request of one call. `method`, `url`, `path`, `query`, `headers`, `cookies`, `files`."""

    @property
    def body(self) -> bytes:
        """All of it; empty where the request has none."""
        return self._call.body

    def text(self) -> str:
        """The body as text, by the charset of its content type."""
        return self._text()

    def json(self) -> object:
        """The body, parsed as JSON whatever its content type. What is no JSON is answered 400."""
        return self._json()

    @property
    def form(self) -> FormsDict:
        """The fields of a form."""
        return self._form[0]

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.url}>"


class Response:
    """An answer.

    `body` is answered as if it was returned; `status` and `headers` stand. A header that comes
    several times is a list of its values.
    """

    rules = "own"

    def __init__(
        self,
        body: Body = None,
        status: int = 200,
        headers: Mapping[str, object] | Iterable[tuple[str, str]] = (),
    ) -> None:
        self.body = body
        self.status_code = status
        pairs = headers.items() if isinstance(headers, Mapping) else headers
        self.headerlist: list[tuple[str, str]] = []
        for name, value in pairs:
            values = value if isinstance(value, (list, tuple)) else [value]
            self.headerlist += [(name, str(one)) for one in values]

    @classmethod
    def json(
        cls, value: object, status: int = 200, headers: Mapping[str, object] = {}
    ) -> "Response":
        """The value as JSON, a text too."""
        given = {"content-type": "application/json; charset=utf-8", **headers}
        return cls(_json.dumps(value, ensure_ascii=False), status, given)

    @classmethod
    def redirect(cls, url: str, status: int = 302) -> "Response":
        return cls(None, status, {"location": url})


class Log:
    """Writes lines to the log of the Instance, marked with the call."""

    def __init__(self, log: CallLog) -> None:
        self._log = log

    def debug(self, message: str, **fields: object) -> None:
        self._write("DEBUG", message, fields)

    def info(self, message: str, **fields: object) -> None:
        self._write("INFO", message, fields)

    def warning(self, message: str, **fields: object) -> None:
        self._write("WARN", message, fields)

    def error(self, message: str, **fields: object) -> None:
        self._write("ERROR", message, fields)

    def _write(self, level: str, message: str, fields: dict[str, object]) -> None:
        more = " " + _json.dumps(fields, ensure_ascii=False, default=str) if fields else ""
        self._log.write(1, f"{level} {message}{more}\n")


class Context:
    """What a handler learns about its call."""

    def __init__(self, call) -> None:
        self._call = call
        self._given = call.server.specialisation

    @property
    def request_id(self) -> str:
        return self._call.request_id

    @property
    def function_name(self) -> str:
        return self._given.function

    @property
    def namespace(self) -> str:
        return self._given.namespace

    @property
    def revision(self) -> str:
        return self._given.revision

    @property
    def runtime(self) -> str:
        return self._given.runtime

    @property
    def traceparent(self) -> str | None:
        """The caller's position in a distributed trace (W3C Trace Context), however it came."""
        trace = self._call.trace
        return None if trace is None else trace.traceparent

    @property
    def remaining(self) -> float:
        """Seconds until the call is cancelled, unless its answer has begun."""
        return max(0.0, self._call.deadline - self._call.server.loop.time())

    @property
    def deadline(self) -> datetime:
        return datetime.fromtimestamp(time.time() + self.remaining, UTC)

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        event = self._call.cancelled
        return event is not None and event.is_set()

    @property
    def log(self) -> Log:
        return Log(self._call.log)
