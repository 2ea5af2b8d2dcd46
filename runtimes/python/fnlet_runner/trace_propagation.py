"""Outgoing requests of a handler carry its call's position in the trace: those of `http.client`,
on which urllib, requests and most clients are built. A header that the function set stays."""

import importlib.util
import sys

from .current import current_call

_module = "http.client"


def propagate_traces() -> None:
    """To be called once. It costs nothing before there is a client."""
    if _module in sys.modules:
        _patch(sys.modules[_module])
    else:
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Waits for the module to be imported."""

    def find_spec(self, name: str, path: object, target: object = None):
        if name != _module:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_patch(module) -> None:
                load(module)
                _patch(module)

            spec.loader.exec_module = load_and_patch
        return spec


def _patch(client) -> None:
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
        for name, value in headers.items():
            if name not in sent:
                put_header(self, name, value)
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
