"""The way to OpenTelemetry's API, where a function has installed it: its code finds our spans
there, and we find which one is active."""

from collections.abc import Callable

from .recorded_span import RecordedSpan


class RemoteSpan:
    """A span of somebody else, as a parent."""

    def __init__(self, context) -> None:
        self.trace_hex = f"{context.trace_id:032x}"
        self.span_hex = f"{context.span_id:016x}"
        self.sampled = bool(context.trace_flags & 1)


class Bridge:
    def __init__(self, trace, context) -> None:
        self._trace = trace
        self._context = context

    @staticmethod
    def find() -> "Bridge | None":
        try:
            from opentelemetry import context, trace
        except ImportError:
            return None
        return Bridge(trace, context)

    def register(self, make_tracer: Callable[[str], object]) -> None:
        """Unless the function has registered an SDK of its own."""
        # Whoever asks for the active span gets only what is a Span.
        self._trace.Span.register(RecordedSpan)

        class Provider(self._trace.TracerProvider):
            def get_tracer(self, instrumenting_module_name, *given, **named):
                return make_tracer(instrumenting_module_name)

        if type(self._trace.get_tracer_provider()).__name__ == "ProxyTracerProvider":
            self._trace.set_tracer_provider(Provider())

    def active(self, context: object):
        span = self._trace.get_current_span(context)
        if isinstance(span, RecordedSpan):
            return span
        found = span.get_span_context()
        return RemoteSpan(found) if found.is_valid else None

    def attach(self, span: RecordedSpan):
        return self._context.attach(self._trace.set_span_in_context(span))

    def detach(self, token: object) -> None:
        self._context.detach(token)
