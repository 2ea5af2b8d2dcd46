"""Does, while a Runner is warm and nobody waits, what is slow at first use."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .function_server import FunctionServer


def rehearse(server: "FunctionServer") -> None:
    """Imports what loading and calling import, and starts the first thread."""
    import ctypes  # noqa: F401
    import urllib.parse  # noqa: F401

    from . import (  # noqa: F401
        asgi_style,
        direct_style,
        event,
        event_context,
        load_function,
        service_names,
        wsgi_style,
    )

    server.workers.prepare()
