"""The body of a request as it comes in: of a known length, or chunked (RFC 9112, 7.1)."""

import re

from . import limits
from .request_head import Refused

_size = re.compile(rb"[0-9A-Fa-f]{1,15}")


class BodyReader:
    """Takes in one body, at most `bytes_max` of it.

    I1. `feed` takes what belongs to the body and returns what comes after it.
    I2. A body that is too large is known for it once; then it can still be read to its end.
    """

    __slots__ = (
        "done",
        "_parts",
        "_keeps",
        "_size",
        "_bytes_max",
        "_over",
        "_left",
        "_buffer",
        "_step",
    )

    def __init__(self, length: int, chunked: bool, bytes_max: int) -> None:
        self.done = not chunked and length == 0
        self._parts: list[bytes] = []
        self._size = 0
        self._bytes_max = bytes_max
        self._over = False
        self._keeps = True
        self._left = length
        self._buffer = b""
        self._step = self._chunk_line if chunked else self._content

    @property
    def size(self) -> int:
        return self._size

    def discard(self, bytes_max: int) -> None:
        """Forgets what it has, and reads on up to another bound."""
        self._parts.clear()
        self._keeps = False
        self._bytes_max = bytes_max

    def taken(self) -> list[bytes]:
        """What came since it was asked last; it is forgotten."""
        parts, self._parts = self._parts, []
        return parts

    def body(self) -> bytes:
        parts = self._parts
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def feed(self, data: bytes) -> bytes:
        """Raises Refused: 413 beyond the bound, 400 for chunks that are none."""
        self._buffer = self._buffer + data if self._buffer else data
        while not self.done and self._step():
            pass
        if self._over:
            self._over = False
            raise Refused(413, "Payload Too Large")
        rest, self._buffer = (self._buffer, b"") if self.done else (b"", self._buffer)
        return rest

    def _take(self, count: int) -> bool:
        part = self._buffer[:count]
        self._buffer = self._buffer[count:]
        self._left -= len(part)
        self._size += len(part)
        self._over = self._over or self._size > self._bytes_max
        if self._keeps and not self._over:
            self._parts.append(part)
        return self._left == 0

    def _content(self) -> bool:
        self.done = self._take(self._left)
        return False

    def _line(self, bytes_max: int) -> bytes | None:
        line, found, rest = self._buffer.partition(b"\r\n")
        if len(line) > bytes_max:
            raise Refused(400, "Cannot read the body: found a line that is too long")
        if b"\n" in line or (found and b"\r" in line):
            raise Refused(400, "Cannot read the body: found a stray CR or LF")
        if not found:
            return None
        self._buffer = rest
        return line

    def _chunk_line(self) -> bool:
        line = self._line(limits.CHUNK_LINE_BYTES_MAX)
        if line is None:
            return False
        size = line.partition(b";")[0].rstrip(b" \t")
        if not _size.fullmatch(size):
            raise Refused(400, "Cannot read the body: found a malformed chunk size")
        self._left = int(size, 16)
        self._over = self._over or self._size + self._left > self._bytes_max
        self._step = self._chunk if self._left else self._trailer
        if not self._left:
            self._left = limits.TRAILER_BYTES_MAX
        return True

    def _chunk(self) -> bool:
        if not self._buffer:
            return False
        if self._left and not self._take(self._left):
            return False
        self._step = self._chunk_end
        return True

    def _chunk_end(self) -> bool:
        if len(self._buffer) < 2:
            return False
        if not self._buffer.startswith(b"\r\n"):
            raise Refused(400, "Cannot read the body: found a chunk longer than its size")
        self._buffer = self._buffer[2:]
        self._step = self._chunk_line
        return True

    def _trailer(self) -> bool:
        line = self._line(self._left)
        if line is None:
            return False
        # Nobody asked for trailers; they are read and dropped.
        self._left -= len(line)
        self.done = line == b""
        return not self.done
