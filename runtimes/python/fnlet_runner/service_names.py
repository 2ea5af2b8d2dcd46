"""Names of Services inside a function: `<name>.<namespace>.svc.cluster.local`, and what a Pod may
leave out of it, lead to the Gateway, which knows all Functions, wakes them, and finds them by the
Host of the request. Every other name is the system's.

A name becomes an address that nobody has; a connection to that address, on whatever port, goes to
the Gateway. So it works for all that resolve names and connect in Python, in one step or in two.
"""

import re
import socket
import time

from . import limits

# Of class E (RFC 1112, 4): no machine has it, and no network leads there.
_stand_in = "240.0.0.1"

_label = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_full = re.compile(rf"{_label}\.{_label}\.svc(?:\.cluster\.local)?\.?", re.IGNORECASE)
_short = re.compile(rf"({_label})(?:\.({_label}))?")


def classify_host(host: str, namespace: str) -> tuple[str, str] | bool:
    """True for a Service, False for a name that is none; namespace and name of one that it may be,
    as in a Pod, whose resolver looks in the cluster first."""
    if _full.fullmatch(host):
        return True
    match = _short.fullmatch(host.lower())
    # No name of a Service begins with a digit (RFC 1035), and an address does.
    if match is None or match[1] == "localhost" or match[1][0].isdigit():
        return False
    return match[2] or namespace, match[1]


class ServiceNames:
    """Stands in for the resolver of the module `socket`, and for the connecting of its sockets."""

    def __init__(self, gateway: tuple[str, int], namespace: str, host: str) -> None:
        """`host` is the address of this Runner, by which the Gateway tells whose short names they
        are."""
        self._gateway = gateway
        self._namespace = namespace
        is_loopback = gateway[0].startswith("127.") and host.startswith("127.")
        self._local = host if is_loopback else None
        self._known: dict[tuple[str, str], tuple[float, bool]] = {}
        self._getaddrinfo = socket.getaddrinfo
        self._gethostbyname = socket.gethostbyname
        self._connect = socket.socket.connect
        self._connect_ex = socket.socket.connect_ex

    def install(self) -> None:
        """To be called once."""
        names = self

        def connect(sock: socket.socket, address: object) -> None:
            names._connect(sock, names._target(sock, address))

        def connect_ex(sock: socket.socket, address: object) -> int:
            return names._connect_ex(sock, names._target(sock, address))

        socket.getaddrinfo = self.getaddrinfo
        socket.gethostbyname = self.gethostbyname
        socket.socket.connect = connect
        socket.socket.connect_ex = connect_ex

    def getaddrinfo(self, host, port, family=0, type=0, proto=0, flags=0):
        if family in (0, socket.AF_INET) and self._is_service(host):
            host, family = _stand_in, socket.AF_INET
        return self._getaddrinfo(host, port, family, type, proto, flags)

    def gethostbyname(self, hostname: str) -> str:
        return _stand_in if self._is_service(hostname) else self._gethostbyname(hostname)

    def _is_service(self, host: object) -> bool:
        if isinstance(host, bytes):
            host = host.decode("latin-1")
        found = classify_host(host, self._namespace) if isinstance(host, str) else False
        return found if isinstance(found, bool) else self._is_known(found)

    def _target(self, sock: socket.socket, address: object) -> object:
        if sock.family != socket.AF_INET or not isinstance(address, tuple):
            return address
        if address[0] != _stand_in and not self._is_service(address[0]):
            return address
        if self._local is not None and sock.getsockname() == ("0.0.0.0", 0):
            sock.bind((self._local, 0))
        return self._gateway

    def _is_known(self, key: tuple[str, str]) -> bool:
        """Whether the Gateway has such a Function, asked now or a moment ago."""
        now = time.monotonic()
        until, known = self._known.get(key, (0.0, False))
        if until > now:
            return known
        known = self._ask(key)
        if len(self._known) >= limits.SERVICE_NAMES_MAX:
            self._known.clear()
        self._known[key] = (now + limits.SERVICE_NAME_SECONDS, known)
        return known

    def _ask(self, key: tuple[str, str]) -> bool:
        namespace, name = key
        request = f"GET /-/routes/{namespace}/{name} HTTP/1.0\r\nHost: gateway\r\n\r\n"
        with socket.socket() as sock:
            sock.settimeout(limits.SERVICE_ASK_SECONDS)
            try:
                self._connect(sock, self._gateway)
                sock.sendall(request.encode())
                answer = sock.recv(12, socket.MSG_WAITALL)
            except OSError:
                return False
        return answer.endswith(b" 200")
