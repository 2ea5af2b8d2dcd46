"""The `Tracer` of OpenTelemetry's API by its shape."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ..trace_context import random_hex
from .recorded_span import RecordedSpan

if TYPE_CHECKING:
    from .opentelemetry_bridge import Bridge

current_span: ContextVar[RecordedSpan | None] = ContextVar("fnlet_current_span", default=None)

INTERNAL = 1


class SpanTracer:
    """Makes spans of one scope: children of the active one, or the first of a trace."""

    def __init__(
        self, scope: str, on_end: Callable[[RecordedSpan], None], bridge: "Bridge | None"
    ) -> None:
        self._scope = scope
        self._on_end = on_end
        self._bridge = bridge

    def parent(self, context: object) -> RecordedSpan | None:
        """The active span, of this context or of the code now running."""
        if self._bridge is None:
            return current_span.get()
        return self._bridge.active(context)

    def start_span(
        self,
        name: str,
        context: object = None,
        kind: object = None,
        attributes: Mapping[str, object] | None = None,
        links: object = None,
        start_time: int | None = None,
        record_exception: bool = True,
        set_status_on_exception: bool = True,
    ) -> RecordedSpan:
        parent = self.parent(context)
        # OpenTelemetry's API counts kinds from 0.
        number = getattr(kind, "value", None)
        span = RecordedSpan(
            scope=self._scope,
            name=name,
            kind=INTERNAL if number is None else number + 1,
            trace_id=parent.trace_hex if parent else random_hex(32),
            parent_id=parent.span_hex if parent else None,
            sampled=parent.sampled if parent else True,
            on_end=self._on_end,
            start=start_time,
        )
        span.set_attributes(attributes or {})
        for link in links or ():
            span.add_link(link.context, link.attributes)
        return span

    @contextmanager
    def start_as_current_span(
        self, name: str, *given: object, end_on_exit: bool = True, **named: object
    ) -> Iterator[RecordedSpan]:
        span = self.start_span(name, *given, **named)
        token = current_span.set(span)
        attached = None if self._bridge is None else self._bridge.attach(span)
        try:
            yield span
        except BaseException as error:
            span.__exit__(type(error), error, error.__traceback__)
            raise
        finally:
            if end_on_exit:
                span.end()
            current_span.reset(token)
            if self._bridge is not None:
                self._bridge.detach(attached)
