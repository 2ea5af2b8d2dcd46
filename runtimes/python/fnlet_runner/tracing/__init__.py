"""The spans of a function: one for each call, one for each request that it makes, and those that
its code makes with OpenTelemetry or with `event.tracer`. Imported where a function says where its
spans go, and nowhere else.

A call is sampled as its caller says; where nobody has decided, it is.
"""

from typing import TYPE_CHECKING

from ..trace_context import TraceContext, is_undecided, random_hex
from .exporter import SpanExporter
from .opentelemetry_bridge import Bridge
from .recorded_span import RecordedSpan
from ..trace_target import TraceTarget
from .tracer import SpanTracer, current_span

if TYPE_CHECKING:
    from ..call import Call
    from ..specialisation import Specialisation

SERVER, CLIENT = 2, 3
ERROR = 2
_scope = "fnlet"


class Tracing:
    def __init__(self, target: TraceTarget, given: "Specialisation") -> None:
        resource = {
            "service.name": target.service or given.function,
            "service.namespace": given.namespace,
            "service.version": given.revision,
            "service.instance.id": given.instance,
            "k8s.namespace.name": given.namespace,
            "k8s.pod.name": given.instance,
        }
        self._exporter = SpanExporter(target, resource)
        self._bridge: Bridge | None = None

    def register(self) -> None:
        """Offers all this to the OpenTelemetry that the function has loaded."""
        self._bridge = Bridge.find()
        if self._bridge is not None:
            self._bridge.register(self.tracer)

    def tracer(self, scope: str) -> SpanTracer:
        return SpanTracer(scope, self._exporter.add, self._bridge)

    def begin(self, call: "Call") -> None:
        trace = call.trace
        decided = trace is not None and not is_undecided(trace)
        span = RecordedSpan(
            scope=_scope,
            name=call.head.method,
            kind=SERVER,
            trace_id=trace.trace_id if trace else random_hex(32),
            parent_id=trace.span_id if decided else None,
            state=trace.state if trace else "",
            sampled=trace.sampled if decided else True,
            on_end=self._exporter.add,
        )
        span.set_attributes(
            {
                "http.request.method": call.head.method,
                "url.path": call.head.path,
                "faas.trigger": "http",
                "faas.invocation_id": call.request_id,
            }
        )
        call.view["span"] = span

    def enter(self, call: "Call") -> None:
        """To be called in the variables of a call, before its handler."""
        span = call.view["span"]
        current_span.set(span)
        if self._bridge is not None:
            self._bridge.attach(span)

    def end(self, call: "Call", failed: bool) -> None:
        span = call.view["span"]
        if call.status:
            span.set_attribute("http.response.status_code", call.status)
        if failed or call.status >= 500:
            span.set_status(ERROR)
        span.end()

    def outgoing(self, connection, call: "Call"):
        """The headers of a request, and what is to be told of its answer."""
        parent = self.tracer(_scope).parent(None)
        span = RecordedSpan(
            scope=_scope,
            name=connection._method or "GET",
            kind=CLIENT,
            trace_id=parent.trace_hex if parent else random_hex(32),
            parent_id=parent.span_hex if parent else None,
            sampled=parent.sampled if parent else True,
            on_end=self._exporter.add,
        )
        span.set_attribute("http.request.method", span.name)
        span.set_attribute("server.address", connection.host)
        span.set_attribute("server.port", connection.port)

        def answered(status: int | None, error: BaseException | None) -> None:
            if status is not None:
                span.set_attribute("http.response.status_code", status)
            if error is not None:
                span.set_attribute("error.type", type(error).__name__)
            if error is not None or (status or 0) >= 400:
                span.set_status(ERROR)
            span.end()

        state = call.trace.state if call.trace else ""
        position = TraceContext(span.trace_hex, span.span_hex, span.sampled, state)
        return position.headers(call.server.specialisation.compatibility is not None), answered

    def flush(self, seconds: float) -> None:
        """Returns when what has ended is sent, or after that time."""
        self._exporter.flush(seconds)

