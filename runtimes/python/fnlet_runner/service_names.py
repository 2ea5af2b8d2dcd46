"""Names of Services inside a function: `<name>.<namespace>.svc.cluster.local`, and what a Pod may
leave out of it. Those of Functions lead to the Gateway, which wakes them and finds them by the Host
of the request; those of other Services to their endpoints. Every other name is the system's.

A name becomes an address that nobody has; where a connection to that address goes is decided when
it is made. So it works for all that resolve names and connect in Python, in one step or in two.
"""

import errno
import os
import re
import socket

from .service_lookup import Address, ServiceLookup, ServiceRoute
from .stand_ins import Service, StandIns

_label = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
# A Pod of a Service, such as one of a StatefulSet, has the name `<pod>.<service>`.
_full = re.compile(rf"({_label}(?:\.{_label})?)\.({_label})\.svc(?:\.cluster\.local)?\.?")
_short = re.compile(rf"({_label})(?:\.({_label}))?")


def read_service_name(host: str, namespace: str) -> Service | None:
    """Namespace and name of the Service that a host means, if there is one, to code in this
    namespace: as in a Pod, whose resolver looks in the cluster first. None for what cannot be the
    name of a Service."""
    lower = host.lower()
    match = _full.fullmatch(lower) or _short.fullmatch(lower)
    # No name of a Service begins with a digit (RFC 1035), and an address does.
    if match is None or match[1] == "localhost" or match[1][0].isdigit():
        return None
    return match[2] or namespace, match[1]


class ServiceNames:
    """Stands in for the resolver of the module `socket`, and for the connecting of its sockets."""

    def __init__(self, gateway: Address, namespace: str, host: str) -> None:
        """`host` is the address of this Runner, by which the Gateway tells whose short names they
        are."""
        self._gateway = gateway
        self._namespace = namespace
        is_loopback = gateway[0].startswith("127.") and host.startswith("127.")
        self._local = host if is_loopback else None
        self._stand_ins = StandIns()
        self._getaddrinfo = socket.getaddrinfo
        self._gethostbyname = socket.gethostbyname
        self._connect = socket.socket.connect
        self._connect_ex = socket.socket.connect_ex
        self._lookup = ServiceLookup(gateway, self._connect)

    def install(self) -> None:
        """To be called once."""
        names = self

        def connect(sock: socket.socket, address: object) -> None:
            service, target = names._target(sock, address)
            if target is None:
                raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
            try:
                names._connect(sock, target)
            except BlockingIOError:
                raise
            except OSError:
                names._forget(service)
                raise

        def connect_ex(sock: socket.socket, address: object) -> int:
            service, target = names._target(sock, address)
            if target is None:
                return errno.ECONNREFUSED
            code = names._connect_ex(sock, target)
            if code not in (0, errno.EINPROGRESS, errno.EWOULDBLOCK):
                names._forget(service)
            return code

        socket.getaddrinfo = self.getaddrinfo
        socket.gethostbyname = self.gethostbyname
        socket.socket.connect = connect
        socket.socket.connect_ex = connect_ex

    def getaddrinfo(self, host, port, family=0, type=0, proto=0, flags=0):
        if family in (0, socket.AF_INET):
            # With the port, so that whoever connects next need not ask.
            stand_in = self._stand_in(host, port if isinstance(port, int) else 0)
            if stand_in is not None:
                host, family = stand_in, socket.AF_INET
        return self._getaddrinfo(host, port, family, type, proto, flags)

    def gethostbyname(self, hostname: str) -> str:
        return self._stand_in(hostname, 0) or self._gethostbyname(hostname)

    def _stand_in(self, host: object, port: int) -> str | None:
        service = self._read(host)
        if service is None or self._lookup.find(*service, port) is None:
            return None
        return self._stand_ins.of(service)

    def _read(self, host: object) -> Service | None:
        if isinstance(host, (bytes, bytearray)):
            host = host.decode("latin-1")
        return read_service_name(host, self._namespace) if isinstance(host, str) else None

    def _target(
        self, sock: socket.socket, address: object
    ) -> tuple[tuple[str, str, int] | None, object]:
        """The Service that an address means, if it does, and where to connect to: None where
        nobody answers."""
        is_tcp = sock.family == socket.AF_INET and sock.type == socket.SOCK_STREAM
        is_pair = isinstance(address, tuple) and len(address) == 2 and isinstance(address[1], int)
        if not is_tcp or not is_pair:
            return None, address
        host, port = address
        stands_for = self._stand_ins.service_at(host) if isinstance(host, str) else None
        service = stands_for or self._read(host)
        route = self._lookup.find(*service, port) if service is not None else None
        if service is None or route is None:
            # Whoever resolved the name of a Service that is gone by now is refused.
            return None, address if stands_for is None else None
        return (*service, port), self._follow(sock, route)

    def _follow(self, sock: socket.socket, route: ServiceRoute) -> Address | None:
        if not route.is_function:
            return route.choose()
        if self._local is not None and sock.getsockname() == ("0.0.0.0", 0):
            sock.bind((self._local, 0))
        return self._gateway

    def _forget(self, service: tuple[str, str, int] | None) -> None:
        if service is not None:
            self._lookup.forget(*service)
