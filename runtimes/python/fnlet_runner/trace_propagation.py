"""Outgoing requests of a handler carry its call's position in the trace: those of `http.client`,
on which urllib, requests and most clients are built. A header that the function set stays. What
requests sent can be read of its answer, `response.request.headers`, as if requests itself had been
instrumented; functions for Kyma look there."""

import importlib.util
import sys
from contextvars import ContextVar

from .current import current_call

# The headers of the request that the package requests is sending.
_prepared: "ContextVar[dict[str, str] | None]" = ContextVar("fnlet_prepared", default=None)


def propagate_traces() -> None:
    """To be called once. It costs nothing before there is a client."""
    patches = {"http.client": _patch_client, "requests.adapters": _patch_requests}
    for name, patch in patches.items():
        if name in sys.modules:
            patch(sys.modules[name])
        else:
            sys.meta_path.insert(0, _Finder(name, patch))


class _Finder:
    """Waits for a module to be imported."""

    def __init__(self, name: str, patch) -> None:
        self._name = name
        self._patch = patch

    def find_spec(self, name: str, path: object, target: object = None):
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_patch(module) -> None:
                load(module)
                self._patch(module)

            spec.loader.exec_module = load_and_patch
        return spec


class _Added(str):
    """A header that the function did not set. A request that follows a redirect is a copy of the
    one before; it has a position of its own."""

    __slots__ = ()


def _patch_requests(adapters) -> None:
    adapter = adapters.HTTPAdapter
    send_prepared = adapter.send

    def send(self, request, *given, **named):
        headers = request.headers
        for name in [name for name, value in headers.items() if isinstance(value, _Added)]:
            del headers[name]
        token = _prepared.set(headers)
        try:
            return send_prepared(self, request, *given, **named)
        finally:
            _prepared.reset(token)

    adapter.send = send


def _patch_client(client) -> None:
    connection = client.HTTPConnection
    end_headers, put_header = connection.endheaders, connection.putheader
    get_response = connection.getresponse

    def putheader(self, header, *values) -> None:
        name = header.decode("latin-1") if isinstance(header, bytes) else str(header)
        self.__dict__.setdefault("_fnlet_sent", set()).add(name.lower())
        put_header(self, header, *values)

    def endheaders(self, *given, **named) -> None:
        sent = self.__dict__.pop("_fnlet_sent", ())
        headers, answered = _position(self, current_call.get())
        prepared = _prepared.get()
        for name, value in headers.items():
            if name not in sent:
                put_header(self, name, value)
                if prepared is not None:
                    prepared[name] = _Added(value)
        self.__dict__["_fnlet_answered"] = answered
        try:
            end_headers(self, *given, **named)
        except BaseException as error:
            answered(None, error)
            raise

    def getresponse(self, *given, **named):
        answered = self.__dict__.pop("_fnlet_answered", _nobody)
        try:
            response = get_response(self, *given, **named)
        except BaseException as error:
            answered(None, error)
            raise
        answered(response.status, None)
        return response

    connection.putheader, connection.endheaders = putheader, endheaders
    connection.getresponse = getresponse


def _position(connection, call):
    """The headers of a request, and who is told of its answer."""
    if call is None:
        return {}, _nobody
    if call.server.tracing is not None:
        return call.server.tracing.outgoing(connection, call)
    return call.outgoing_headers(), _nobody


def _nobody(status: int | None, error: BaseException | None) -> None:
    pass
