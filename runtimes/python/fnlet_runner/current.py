"""Which call the code now running belongs to, whatever thread or task runs it."""

from contextvars import Context, ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .call import Call

current_call: "ContextVar[Call | None]" = ContextVar("fnlet_current_call", default=None)


def variables_of(call: "Call") -> Context:
    """What a handler is run with."""
    variables = Context()
    variables.run(current_call.set, call)
    if call.server.tracing is not None:
        variables.run(call.server.tracing.enter, call)
    return variables
