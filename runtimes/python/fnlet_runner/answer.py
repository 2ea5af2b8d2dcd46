"""Sends a handler's result as the answer of its call, from the loop or from a thread."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from .response_head import BODILESS, format_head
from .result import Result

if TYPE_CHECKING:
    from .call import Call


def answer_from_thread(call: "Call", result: Result) -> None:
    """To be called by the thread in which the handler ran. Raises what the stream raises."""
    if _is_whole(result):
        call.server.workers.post(call.answer, *_whole(result))
    else:
        _stream_from_thread(call, result)


async def answer(call: "Call", result: Result) -> None:
    """To be called on the loop."""
    if _is_whole(result):
        call.answer(*_whole(result))
        return
    if isinstance(result.body, Iterator):
        # An iterator may block, so it has a thread of its own as long as it goes on.
        await asyncio.to_thread(_stream_from_thread, call, result)
        return
    items: AsyncIterator = result.body.__aiter__()
    is_events = _is_events(result)
    try:
        first = b"" if is_events else await anext(items, None)
        await call.begin_stream(*_head_of_stream(result))
        await call.send(as_chunk(first))
        if call.head.method != "HEAD":
            async for item in items:
                await call.send(as_chunk(item))
        await call.end_stream()
    finally:
        close = getattr(items, "aclose", None)
        if close is not None:
            await close()


def _stream_from_thread(call: "Call", result: Result) -> None:
    items: Iterator = result.body
    is_events = _is_events(result)
    try:
        # The first chunk comes before the head: a stream that fails at once is still a clean 500.
        # An EventSource is open once it has the head, however late the first event is.
        first = b"" if is_events else next(items, None)
        chunk = as_chunk(first)
        _wait(call, call.begin_stream(*_head_of_stream(result)))
        _wait(call, call.send(chunk))
        if call.head.method != "HEAD":
            for item in items:
                _wait(call, call.send(as_chunk(item)))
        _wait(call, call.end_stream())
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()


def _wait(call: "Call", sending) -> None:
    asyncio.run_coroutine_threadsafe(sending, call.server.loop).result()


def _is_whole(result: Result) -> bool:
    return isinstance(result.body, bytes) or result.status in BODILESS


def _whole(result: Result) -> tuple[bytes, bytes, int]:
    body = result.body if isinstance(result.body, bytes) else b""
    if result.status in BODILESS:
        body = b""
    headers = [pair for pair in result.headers if pair[0].lower() != "content-length"]
    return format_head(result.status, headers), body, result.status


def _head_of_stream(result: Result) -> tuple[bytes, int, int | None]:
    length: int | None = None
    headers = []
    for name, value in result.headers:
        if name.lower() == "content-length" and str(value).isdigit():
            length = int(value)
        else:
            headers.append((name, value))
    return format_head(result.status, headers), result.status, length


def _is_events(result: Result) -> bool:
    return any(
        name.lower() == "content-type" and value.startswith("text/event-stream")
        for name, value in result.headers
    )


def as_chunk(item: object) -> bytes:
    if isinstance(item, bytes):
        return item
    if item is None:
        return b""
    if isinstance(item, str):
        return item.encode()
    if isinstance(item, (bytearray, memoryview)):
        return bytes(item)
    found = type(item).__name__
    raise TypeError(f"Cannot send a chunk of a stream: found {found}, expected text or bytes")
