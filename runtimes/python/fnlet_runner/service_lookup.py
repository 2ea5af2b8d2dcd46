"""What names of Services lead to, as the Gateway says, remembered for a moment."""

import json
import os
import socket
import time
from collections.abc import Callable

from . import limits

Address = tuple[str, int]


class ServiceRoute:
    """What a name of a Service leads to: to the Gateway, which finds the Function by the Host of
    the request, or to one of some endpoints. Without any, nobody answers there now."""

    def __init__(self, endpoints: list[Address] | None) -> None:
        self.is_function = endpoints is None
        self._endpoints = endpoints or []

    @property
    def is_refused(self) -> bool:
        return not self.is_function and not self._endpoints

    def choose(self) -> Address | None:
        if not self._endpoints:
            return None
        # Not by the module `random`, which takes milliseconds to import.
        return self._endpoints[int.from_bytes(os.urandom(4), "big") % len(self._endpoints)]


class ServiceLookup:
    """Asks the Gateway. Threads may ask at once: at worst they ask the same."""

    def __init__(
        self, gateway: Address, connect: Callable[[socket.socket, Address], None]
    ) -> None:
        self._gateway = gateway
        self._connect = connect
        self._known: dict[str, tuple[float, ServiceRoute | None]] = {}

    def find(self, namespace: str, name: str, port: int = 0) -> ServiceRoute | None:
        """Where this port of a Service leads, or just whether there is one; None: there is none."""
        path = _path(namespace, name, port)
        until, route = self._known.get(path, (0.0, None))
        if until > time.monotonic():
            return route
        try:
            route = self._ask(path)
        except (OSError, ValueError):
            # Nobody to ask: such a name is the system's, until somebody answers.
            return None
        self._remember(path, route)
        return route

    def forget(self, namespace: str, name: str, port: int) -> None:
        """To be called when a connection that it led to could not be made."""
        self._known.pop(_path(namespace, name, port), None)

    def _remember(self, path: str, route: ServiceRoute | None) -> None:
        is_refused = route is not None and route.is_refused
        seconds = limits.SERVICE_REFUSED_SECONDS if is_refused else limits.SERVICE_NAME_SECONDS
        if len(self._known) >= limits.SERVICE_NAMES_MAX:
            self._known.clear()
        self._known[path] = (time.monotonic() + seconds, route)

    def _ask(self, path: str) -> ServiceRoute | None:
        request = f"GET {path} HTTP/1.0\r\nHost: gateway\r\nAccept: application/json\r\n\r\n"
        with socket.socket() as sock:
            sock.settimeout(limits.SERVICE_ASK_SECONDS)
            self._connect(sock, self._gateway)
            sock.sendall(request.encode())
            answer = b""
            while part := sock.recv(65_536):
                answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        return _read_route(head.split(b" ", 2)[1:2], body)


def _path(namespace: str, name: str, port: int) -> str:
    return f"/-/routes/{namespace}/{name}" + (f"/{port}" if port > 0 else "")


def _read_route(status: list[bytes], body: bytes) -> ServiceRoute | None:
    if status == [b"503"]:
        return ServiceRoute([])
    if status != [b"200"]:
        return None
    endpoints = json.loads(body).get("endpoints")
    if endpoints is None:
        return ServiceRoute(None)
    return ServiceRoute([(one["host"], one["port"]) for one in endpoints])
