"""What a handler's return value is answered with; the table is in the README.

The rules are `own` for `(request, context)`, `event` for `(event, context)`, and those of `kyma`
and `kubeless`, whose Python runtimes answer as Bottle does.
"""

import json
from collections.abc import AsyncIterator, Iterator

from .cloud_event import STRUCTURED, is_cloud_event
from .json_text import write_json
from .server_sent_event import format_event

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=UTF-8"
JSON = "application/json; charset=utf-8"
OCTETS = "application/octet-stream"
# Proxies must pass events on as they come, and nobody may keep them (X-Accel-Buffering: nginx).
_events = [
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
    ("x-accel-buffering", "no"),
]
_as_bottle = ("kyma", "kubeless")
_chunk_bytes = 65_536
# What Bottle joins when all of it is text: it takes whatever can be iterated.
_series = (list, tuple, set, frozenset)


class Result:
    """`body` is all of it, or an iterator over what comes of it."""

    __slots__ = ("status", "headers", "body")

    def __init__(self, status: int, headers: list[tuple[str, str]], body: object) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def named(self, name: str) -> bool:
        return any(key.lower() == name for key, _ in self.headers)


def decide_result(value: object, rules: str) -> Result:
    """The first rule that fits wins. Raises the value itself where it is an error, and TypeError
    for what has no text."""
    if isinstance(value, tuple) and 2 <= len(value) <= 3 and type(value[1]) is int:
        return _with_status(value, rules)
    if isinstance(value, BaseException):
        return _from_error(value)
    if hasattr(value, "headerlist") and hasattr(value, "body"):
        return _from_response(value)
    if rules in ("event", "kyma") and is_cloud_event(value):
        return _typed(f"{STRUCTURED}; charset=utf-8", write_json(value))
    if rules in _as_bottle:
        return _decide_bottle(value)
    if value is None or (rules == "event" and not value and not isinstance(value, (dict, list))):
        return Result(204 if rules == "own" else 200, [], b"")
    if isinstance(value, str):
        return Result(200, [("content-type", TEXT)] if rules == "own" else [], value.encode())
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _typed(OCTETS, bytes(value))
    stream = _stream(value)
    if stream is not None:
        return stream
    if isinstance(value, AsyncIterator) or hasattr(value, "__aiter__"):
        return Result(200, _events, _formatted_async(value))
    if isinstance(value, Iterator):
        return Result(200, _events, _formatted(value))
    return _typed(JSON, write_json(value))


def _decide_bottle(value: object) -> Result:
    if not value and not isinstance(value, Iterator):
        return Result(200, [("content-type", HTML)], b"")
    if isinstance(value, _series) and all(isinstance(item, (str, bytes)) for item in value):
        value = b"".join(item.encode() if isinstance(item, str) else item for item in value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, (bytes, bytearray)):
        return _typed(HTML, bytes(value))
    stream = _stream(value)
    if stream is not None:
        return stream
    if isinstance(value, Iterator) or hasattr(value, "__aiter__"):
        return _typed(HTML, value)
    return _typed("application/json", json.dumps(value).encode())


def _typed(content_type: str, body: object) -> Result:
    return Result(200, [("content-type", content_type)], body)


# What Flask made a habit of, and the migration guide of Kyma promises.
def _with_status(value: tuple, rules: str) -> Result:
    body, status, headers = (*value, {})[:3]
    result = decide_result(body, rules)
    result.status = status
    return _with_headers(result, headers.items() if isinstance(headers, dict) else headers)


def _with_headers(result: Result, given) -> Result:
    """Headers that were set win over those that only follow from the value."""
    headers = [(str(name), str(value)) for name, value in given]
    names = {name.lower() for name, _ in headers}
    kept = [(name, value) for name, value in result.headers if name.lower() not in names]
    result.headers = [*kept, *headers]
    return result


def _from_error(error: BaseException) -> Result:
    # Bottle's HTTPResponse is an error and an answer.
    if hasattr(error, "headerlist") and hasattr(error, "body"):
        return _from_response(error)
    raise error


def _from_response(response) -> Result:
    """Of `fnlet.Response`, or of Bottle's HTTPResponse or one like it."""
    status = getattr(response, "status_code", 200)
    rules = getattr(response, "rules", "kyma")
    body = response.body
    result = Result(200, [], b"") if body is None else decide_result(body, rules)
    result.status = status
    given = set_headers(response)
    if rules in _as_bottle and not result.body:
        result.headers = []
    return _with_headers(result, given)


def set_headers(response) -> list[tuple[str, str]]:
    """The headers that somebody set: Bottle itself also lists a content type of its own choice."""
    headers = getattr(response, "headers", None)
    chosen = headers is None or "Content-Type" in headers
    return [
        (name, value)
        for name, value in response.headerlist
        if chosen or name.lower() != "content-type"
    ]


def _stream(value: object) -> Result | None:
    """Of something that is read like a file."""
    read = getattr(value, "read", None)
    if read is None or isinstance(value, type):
        return None
    return _typed(OCTETS, _read_all(value))


def _read_all(file) -> Iterator[bytes]:
    try:
        while chunk := file.read(_chunk_bytes):
            yield chunk
    finally:
        close = getattr(file, "close", None)
        if close is not None:
            close()


def _formatted(items: Iterator) -> Iterator[bytes]:
    try:
        for item in items:
            yield format_event(item)
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()


async def _formatted_async(items) -> AsyncIterator[bytes]:
    try:
        async for item in items:
            yield format_event(item)
    finally:
        close = getattr(items, "aclose", None)
        if close is not None:
            await close()
