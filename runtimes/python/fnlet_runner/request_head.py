"""Request line and headers of HTTP/1.1 (RFC 9112), read strictly: what could be read in two ways,
by us and by a proxy before us, is refused."""

import re

from . import limits

_token = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_names: dict[str, str] = {}
_single = frozenset(("content-length", "content-type", "host", "transfer-encoding", "expect"))


class Refused(Exception):
    """A request that is answered by the Runner, after which its connection is closed."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class RequestHead:
    """What a client asks for. Names of `fields` and `headers` are in lower case."""

    __slots__ = ("method", "target", "version", "fields", "headers", "length", "chunked")

    def __init__(self, method: str, target: str, version: str) -> None:
        self.method = method
        self.target = target
        self.version = version
        self.fields: list[tuple[str, str]] = []
        # Of a name that comes several times, all values, joined as RFC 9110, 5.3 has it.
        self.headers: dict[str, str] = {}
        self.length = 0
        self.chunked = False

    @property
    def path(self) -> str:
        """The target without its query, still encoded."""
        target = self.target
        if not target.startswith("/"):
            target = "/" + target.partition("://")[2].partition("/")[2]
        return target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    @property
    def has_body(self) -> bool:
        return self.chunked or self.length > 0

    @property
    def keeps_alive(self) -> bool:
        connection = self.headers.get("connection")
        if connection is None:
            return self.version == "HTTP/1.1"
        options = [option.strip() for option in connection.lower().split(",")]
        return "close" not in options and (self.version == "HTTP/1.1" or "keep-alive" in options)

    @property
    def wants_websocket(self) -> bool:
        upgrade = self.headers.get("upgrade")
        if upgrade is None or upgrade.lower() != "websocket":
            return False
        options = self.headers.get("connection", "").lower().split(",")
        return "upgrade" in (option.strip() for option in options)

    @property
    def expects_continue(self) -> bool:
        expected = self.headers.get("expect")
        return expected is not None and expected.lower() == "100-continue"


def parse_head(block: bytes) -> RequestHead:
    """Reads a request up to, and without, the empty line that ends its headers.

    Raises Refused for what is no request, or one whose end could be disputed.
    """
    lines = block.decode("latin-1").split("\r\n")
    breaks = len(lines) - 1
    # A lone CR or LF is a line break for some and none for others.
    if block.count(b"\n") != breaks or block.count(b"\r") != breaks or b"\0" in block:
        raise Refused(400, "Cannot read the request: found a stray CR, LF or NUL")
    head = _parse_line(lines[0])
    fields, headers = head.fields, head.headers
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        lower = _names.get(name) or _lower_name(name)
        if not colon:
            raise Refused(400, "Cannot read the request: found a header without a colon")
        value = value.strip(" \t")
        fields.append((lower, value))
        if lower not in headers:
            headers[lower] = value
        elif lower in _single:
            raise Refused(400, f"Cannot read the request: found {lower} twice")
        else:
            headers[lower] += ("; " if lower == "cookie" else ", ") + value
    _read_framing(head)
    return head


def _parse_line(line: str) -> RequestHead:
    parts = line.split(" ")
    if len(parts) != 3 or not _token.fullmatch(parts[0]) or not parts[1]:
        raise Refused(400, "Cannot read the request: found no method, target and version")
    method, target, version = parts
    if version not in ("HTTP/1.1", "HTTP/1.0"):
        status = 505 if version.startswith("HTTP/") else 400
        raise Refused(status, "Cannot read the request: expected HTTP/1.1")
    return RequestHead(method, target, version)


def _lower_name(name: str) -> str:
    # A name that starts with a space would continue the line before (obs-fold); one that ends
    # with a space hides from proxies that compare names.
    if not _token.fullmatch(name):
        raise Refused(400, "Cannot read the request: found a malformed header name")
    lower = name.lower()
    if len(_names) < limits.HEADER_NAMES_MAX:
        _names[name] = lower
    return lower


def _read_framing(head: RequestHead) -> None:
    headers = head.headers
    if head.version == "HTTP/1.1" and "host" not in headers:
        raise Refused(400, "Cannot read the request: found no Host")
    length = headers.get("content-length")
    coding = headers.get("transfer-encoding")
    if coding is not None:
        if length is not None or head.version != "HTTP/1.1":
            raise Refused(400, "Cannot read the request: found a body with two lengths")
        if coding.lower() != "chunked":
            raise Refused(501, "Cannot read the request: expected no coding but chunked")
        head.chunked = True
    elif length is not None:
        if not (length.isascii() and length.isdigit() and len(length) <= 18):
            raise Refused(400, "Cannot read the request: found a malformed Content-Length")
        head.length = int(length)
