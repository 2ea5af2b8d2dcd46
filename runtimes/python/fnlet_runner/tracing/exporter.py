"""Sends spans that have ended to a collector, as OTLP over HTTP in JSON, beside the calls.

I1. Nobody waits for it: what does not fit into the queue, and what the collector does not take, is
    dropped, and the log says so, at most once a minute.
I2. One thread, which starts with the first span and keeps no process alive.
"""

import json
import threading
import time
from collections import deque
from urllib.parse import urlsplit

from .. import limits
from ..instance_log import say
from .recorded_span import RecordedSpan, key_values
from ..trace_target import TraceTarget


class SpanExporter:
    def __init__(self, target: TraceTarget, resource: dict[str, object]) -> None:
        self._target = target
        self._resource = resource
        self._queue: deque[RecordedSpan] = deque()
        self._changed = threading.Condition()
        self._flushing = False
        self._sending = False
        self._thread: threading.Thread | None = None
        self._dropped = 0
        self._told_at = float("-inf")

    def add(self, span: RecordedSpan) -> None:
        with self._changed:
            if len(self._queue) >= limits.SPANS_MAX:
                self._drop(1, "the queue is full")
                return
            self._queue.append(span)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="spans", daemon=True)
                self._thread.start()

    def flush(self, seconds: float) -> None:
        with self._changed:
            self._flushing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._queue and not self._sending, seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._flushing, limits.SPAN_DELAY_SECONDS)
                size = min(len(self._queue), limits.SPAN_BATCH_MAX)
                batch = [self._queue.popleft() for _ in range(size)]
                self._sending = bool(batch)
                self._flushing = self._flushing and bool(self._queue)
            error = self._send(batch) if batch else None
            with self._changed:
                self._sending = False
                if error is not None:
                    self._drop(len(batch), error)
                self._changed.notify_all()

    def _send(self, batch: list[RecordedSpan]) -> str | None:
        """What went wrong."""
        from http.client import HTTPConnection, HTTPException, HTTPSConnection

        url = urlsplit(self._target.url)
        kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
        headers = {**self._target.headers, "content-type": "application/json"}
        path = f"{url.path or '/'}{'?' if url.query else ''}{url.query}"
        try:
            connection = kind(
                url.hostname or "", url.port, timeout=limits.SPAN_REQUEST_SECONDS
            )
            try:
                connection.request("POST", path, self._format(batch), headers)
                status = connection.getresponse().status
            finally:
                connection.close()
        except (OSError, HTTPException, ValueError) as error:
            return str(error)
        return None if status < 300 else f"it answered {status}"

    def _format(self, batch: list[RecordedSpan]) -> bytes:
        scopes: dict[str, list[dict]] = {}
        for span in batch:
            scopes.setdefault(span.scope, []).append(span.message())
        spans = [{"scope": {"name": name}, "spans": own} for name, own in scopes.items()]
        resource = {"attributes": key_values(self._resource)}
        return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": spans}]}).encode()

    def _drop(self, count: int, why: str) -> None:
        self._dropped += count
        if time.monotonic() - self._told_at < limits.SPAN_COMPLAINT_SECONDS:
            return
        self._told_at = time.monotonic()
        url = urlsplit(self._target.url)
        say(f"Cannot send {self._dropped} spans to {url.scheme}://{url.netloc}: {why}")
        self._dropped = 0

