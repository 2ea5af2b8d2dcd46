"""Where in a distributed trace a call comes from, and goes on to."""

import random
import re
from collections.abc import Mapping

_traceparent = re.compile(
    r"(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?"
)
_decisions = {"1": True, "d": True, "true": True, "0": False, "false": False}


class TraceContext:
    """`trace_id` has 32 hexadecimal digits; `span_id`, the caller's span, 16."""

    __slots__ = ("trace_id", "span_id", "sampled", "state")

    def __init__(self, trace_id: str, span_id: str, sampled: bool, state: str = "") -> None:
        self.trace_id = trace_id
        self.span_id = span_id
        self.sampled = sampled
        # Of W3C Trace Context, passed on unchanged.
        self.state = state

    @property
    def traceparent(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{'01' if self.sampled else '00'}"

    def outgoing(self, with_b3: bool) -> dict[str, str]:
        """The headers that pass it on, from a span of this call's own."""
        own = TraceContext(self.trace_id, random_hex(16), self.sampled, self.state)
        return own.headers(with_b3)

    def headers(self, with_b3: bool) -> dict[str, str]:
        headers = {"traceparent": self.traceparent}
        if self.state:
            headers["tracestate"] = self.state
        if with_b3:
            headers["x-b3-traceid"] = self.trace_id
            headers["x-b3-spanid"] = self.span_id
            headers["x-b3-sampled"] = "1" if self.sampled else "0"
        return headers


def read_trace_context(headers: Mapping[str, str]) -> TraceContext | None:
    """W3C Trace Context, overruled by B3 in one header or in several; see `readTraceContext` of the
    room `invocation`."""
    trace = _read_traceparent(headers.get("traceparent", ""))
    trace_id, span_id, sampled = _read_b3(headers)
    if trace_id and span_id:
        trace = TraceContext(trace_id, span_id, bool(sampled))
    elif sampled is not None:
        if trace is None:
            begun = random_hex(32)
            trace = TraceContext(begun, begun[:16], sampled)
        trace.sampled = sampled
    if trace is not None:
        trace.state = headers.get("tracestate", "")
    return trace


def is_undecided(trace: TraceContext) -> bool:
    """Whether nobody has begun this trace; see `isUndecided` of the room `invocation`."""
    made_by_gateway = trace.trace_id[:8] + trace.trace_id[24:]
    return not trace.sampled and trace.span_id == made_by_gateway


def random_hex(digits: int) -> str:
    """Names a trace or a span: unique, not secret, never all zeros."""
    return f"{random.randrange(1, 1 << (4 * digits)):0{digits}x}"


def _read_traceparent(value: str) -> TraceContext | None:
    match = _traceparent.fullmatch(value)
    # Later versions may add fields, version 00 has none (W3C Trace Context, 4.3).
    if match is None or (match[1] == "00" and match[5]):
        return None
    return TraceContext(match[2], match[3], bool(int(match[4], 16) & 1))


def _read_b3(headers: Mapping[str, str]) -> tuple[str | None, str | None, bool | None]:
    single = headers.get("b3")
    if single is None:
        trace, span = headers.get("x-b3-traceid", ""), headers.get("x-b3-spanid", "")
        is_debug = headers.get("x-b3-flags") == "1"
        decision = "d" if is_debug else headers.get("x-b3-sampled", "")
    elif "-" in single:
        trace, span, decision, *_ = (*single.split("-"), "")
    else:
        trace, span, decision = "", "", single
    trace_id = _valid(trace, 32) or (_valid(trace, 16) or "").rjust(32, "0")
    return _valid(trace_id, 32), _valid(span, 16), _decisions.get(decision)


def _valid(value: str, length: int) -> str | None:
    fits = len(value) == length and re.fullmatch(r"[\da-fA-F]+", value) and value.strip("0")
    return value.lower() if fits else None
