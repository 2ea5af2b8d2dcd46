"""A span that code adds to until it ends: the `Span` of OpenTelemetry's API by its shape. It takes
what code gives it and never raises; after its end it takes nothing more. Times are nanoseconds
since 1970."""

import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence

from .. import limits
from ..trace_context import random_hex

UNSET, OK, ERROR = 0, 1, 2


class SpanContext:
    """Where a span is, with the members of OpenTelemetry's SpanContext."""

    def __init__(self, trace_hex: str, span_hex: str, sampled: bool) -> None:
        self.trace_id = int(trace_hex, 16)
        self.span_id = int(span_hex, 16)
        self.trace_flags = 1 if sampled else 0
        self.trace_state: dict[str, str] = {}
        self.is_remote = False
        self.is_valid = True


class RecordedSpan:
    def __init__(
        self,
        *,
        scope: str,
        name: str,
        kind: int,
        trace_id: str,
        parent_id: str | None,
        sampled: bool,
        on_end: Callable[["RecordedSpan"], None],
        state: str = "",
        start: int | None = None,
    ) -> None:
        self.scope = scope
        self.name = name
        self.trace_hex = trace_id
        self.span_hex = random_hex(16)
        self.sampled = sampled
        self._kind = kind
        self._parent = parent_id
        self._state = state
        self._on_end = on_end
        self._start = now() if start is None else start
        self._end: int | None = None
        self._attributes: dict[str, object] = {}
        self._events: list[dict] = []
        self._links: list[dict] = []
        self._status: dict[str, object] = {"code": UNSET}

    def get_span_context(self):
        own = SpanContext(self.trace_hex, self.span_hex, self.sampled)
        # An SDK takes only what its API made.
        api = sys.modules.get("opentelemetry.trace")
        if api is None:
            return own
        flags = api.TraceFlags(own.trace_flags)
        return api.SpanContext(own.trace_id, own.span_id, is_remote=False, trace_flags=flags)

    def is_recording(self) -> bool:
        return self.sampled and self._end is None

    def set_attribute(self, key: str, value: object) -> None:
        has_room = key in self._attributes or len(self._attributes) < limits.SPAN_PARTS_MAX
        if self.is_recording() and has_room and any_value(value) is not None:
            self._attributes[key] = value

    def set_attributes(self, attributes: Mapping[str, object]) -> None:
        for key, value in attributes.items():
            self.set_attribute(key, value)

    def add_event(
        self,
        name: str,
        attributes: Mapping[str, object] | None = None,
        timestamp: int | None = None,
    ) -> None:
        if self.is_recording() and len(self._events) < limits.SPAN_PARTS_MAX:
            at = now() if timestamp is None else timestamp
            own = key_values(attributes or {})
            self._events.append({"name": name, "timeUnixNano": str(at), "attributes": own})

    def add_link(self, context, attributes: Mapping[str, object] | None = None) -> None:
        if self.is_recording() and len(self._links) < limits.SPAN_PARTS_MAX:
            ids = {"traceId": f"{context.trace_id:032x}", "spanId": f"{context.span_id:016x}"}
            self._links.append({**ids, "attributes": key_values(attributes or {})})

    def record_exception(
        self,
        exception: BaseException,
        attributes: Mapping[str, object] | None = None,
        timestamp: int | None = None,
        escaped: bool = False,
    ) -> None:
        told = {
            "exception.type": type(exception).__qualname__,
            "exception.message": str(exception),
            "exception.stacktrace": "".join(traceback.format_exception(exception)),
            "exception.escaped": str(escaped),
        }
        self.add_event("exception", {**told, **(attributes or {})}, timestamp)

    def set_status(self, status, description: str | None = None) -> None:
        """Takes a StatusCode, a Status, or the number of one."""
        code = getattr(status, "status_code", status)
        code = getattr(code, "value", code)
        message = getattr(status, "description", description) or description
        # What was said to be well stays so.
        if self.is_recording() and self._status["code"] != OK and code in (OK, ERROR):
            self._status = {"code": code, **({"message": message} if message else {})}

    def update_name(self, name: str) -> None:
        if self.is_recording():
            self.name = name

    def end(self, end_time: int | None = None) -> None:
        if self._end is None:
            self._end = max(self._start, now() if end_time is None else end_time)
            if self.sampled:
                self._on_end(self)

    def __enter__(self) -> "RecordedSpan":
        return self

    def __exit__(self, kind, error, trace) -> None:
        if error is not None and self.is_recording():
            self.record_exception(error)
            self.set_status(ERROR, f"{type(error).__name__}: {error}")
        self.end()

    def message(self) -> dict:
        """As OTLP has it in JSON (ProtoJSON: 64 bits as text)."""
        return {
            "traceId": self.trace_hex,
            "spanId": self.span_hex,
            **({"parentSpanId": self._parent} if self._parent else {}),
            **({"traceState": self._state} if self._state else {}),
            "name": self.name,
            "kind": self._kind,
            "startTimeUnixNano": str(self._start),
            "endTimeUnixNano": str(self._end),
            "attributes": key_values(self._attributes),
            "events": self._events,
            "links": self._links,
            "status": self._status,
        }


def now() -> int:
    return time.time_ns()


def key_values(attributes: Mapping[str, object]) -> list[dict]:
    pairs = [(key, any_value(value)) for key, value in attributes.items()]
    known = [{"key": key, "value": value} for key, value in pairs if value is not None]
    return known[: limits.SPAN_PARTS_MAX]


def any_value(value: object) -> dict | None:
    """None for what cannot be a value of an attribute."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value[: limits.SPAN_TEXT_MAX]}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        items = [any_value(item) for item in value[: limits.SPAN_PARTS_MAX]]
        return {"arrayValue": {"values": [item for item in items if item is not None]}}
    return None
