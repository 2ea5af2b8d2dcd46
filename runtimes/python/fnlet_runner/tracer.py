"""The tracer of Kyma's events: OpenTelemetry's where the function installed its API, else that of
the Runner where the function says where its spans go, else one whose spans are not kept. So
`with event.tracer.start_as_current_span(…)` always runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from .current import current_call

_scope = "io.kyma-project.serverless"


class Span:
    """Takes what spans take and keeps nothing."""

    def __getattr__(self, name: str):
        return lambda *given, **named: None

    def __enter__(self) -> "Span":
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Tracer:
    @staticmethod
    def current() -> object:
        try:
            from opentelemetry import trace
        except ImportError:
            call = current_call.get()
            tracing = call and call.server.tracing
            return Tracer() if tracing is None else tracing.tracer(_scope)
        return trace.get_tracer(_scope)

    def start_span(self, name: str, *given: object, **named: object) -> Span:
        return Span()

    @contextmanager
    def start_as_current_span(self, name: str, *given: object, **named: object) -> Iterator[Span]:
        yield Span()
