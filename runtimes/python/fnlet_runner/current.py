"""Which call the code now running belongs to, whatever thread or task runs it."""

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .call import Call

current_call: "ContextVar[Call | None]" = ContextVar("fnlet_current_call", default=None)
