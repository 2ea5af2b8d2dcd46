"""The module `sdk` of Kyma's newer Python runtime, whose handlers are `main()`."""

from fnlet_runner.cloud_event import make_cloud_event, publish, read_cloud_event
from fnlet_runner.current import current_call
from fnlet_runner.event import publisher_url
from fnlet_runner.tracer import Tracer


def _call():
    call = current_call.get()
    if call is None:
        raise RuntimeError("Cannot ask for the call: found none, expected code of a handler")
    return call


def get_function_name() -> str:
    return _call().server.specialisation.function


def get_namespace() -> str:
    return _call().server.specialisation.namespace


def get_runtime() -> str:
    return _call().server.specialisation.runtime


def get_timeout() -> float:
    """Seconds."""
    return _call().server.specialisation.timeout


def get_body_size_limit() -> int:
    """Bytes."""
    return int(_call().server.specialisation.body_bytes_max)


def get_tracer() -> object:
    return Tracer.current()


def get_cloud_event(request: object = None) -> dict | None:
    """The event of this call, None where it is none."""
    call = _call()
    found = read_cloud_event(call.head.headers, call.body)
    if found is None:
        return None
    attributes, data = found
    return {**{name.removeprefix("ce-"): value for name, value in attributes.items()}, "data": data}


def emit_cloud_event(type: str, source: str, data: object, attributes: dict | None = None) -> None:
    """Publishes an event; raises OSError when nobody takes it."""
    publish(publisher_url(), make_cloud_event(type, source, data, attributes or {}))
