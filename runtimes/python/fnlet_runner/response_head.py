"""Status line and headers of an answer, as octets."""

import time
from collections.abc import Iterable
from http import HTTPStatus

Headers = Iterable[tuple[str, str]]

# RFC 9110, 7.6.1: these belong to the connection, which is the Runner's.
_hop_by_hop = frozenset(("connection", "keep-alive", "transfer-encoding", "upgrade", "trailer"))
# Answers with these never have a body (RFC 9110, 6.4.1).
BODILESS = frozenset((204, 304))

_reasons = {status.value: status.phrase for status in HTTPStatus}
_days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def format_head(status: int, headers: Headers) -> bytes:
    """The head without its last line, and without length, date and connection.

    Raises ValueError for what would not be one header, or one status, on the wire.
    """
    if not isinstance(status, int) or not 200 <= status <= 599:
        raise ValueError(f"Cannot answer with status {status!r}: expected 200 … 599")
    line = f"HTTP/1.1 {int(status)} {_reasons.get(status, 'Unknown')}\r\n"
    return line.encode("latin-1") + format_fields(headers)


def format_fields(headers: Headers) -> bytes:
    """Raises ValueError for what would not be one header on the wire."""
    lines: list[str] = []
    for name, value in headers:
        if name.lower() in _hop_by_hop:
            continue
        line = f"{name}: {value}"
        if not name or "\r" in line or "\n" in line or "\0" in line or ":" in name or " " in name:
            raise ValueError(f"Cannot answer with header {name!r}: found {value!r}")
        lines.append(line)
    lines.append("")
    return "\r\n".join(lines).encode("latin-1")


def format_date(seconds: float) -> str:
    year, month, day, hour, minute, second, weekday, *_ = time.gmtime(seconds)
    date = f"{_days[weekday]}, {day:02} {MONTHS[month - 1]} {year}"
    return f"{date} {hour:02}:{minute:02}:{second:02} GMT"


class DateLine:
    """The date header (RFC 9110, 6.6.1), made once a second."""

    __slots__ = ("_second", "_line")

    def __init__(self) -> None:
        self._second = -1
        self._line = b""

    def now(self) -> bytes:
        second = int(time.time())
        if second != self._second:
            self._second = second
            self._line = f"date: {format_date(second)}\r\n".encode("latin-1")
        return self._line
