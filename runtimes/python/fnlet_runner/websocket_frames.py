"""Frames of WebSockets (RFC 6455, 5): read strictly from what clients send, and written."""

import struct
from enum import IntEnum

TEXT = 1
BINARY = 2
CLOSE = 8
PING = 9
PONG = 10

_data = frozenset((TEXT, BINARY))
_control = frozenset((CLOSE, PING, PONG))
_control_bytes_max = 125


class CloseCode(IntEnum):
    """Why a connection ends (RFC 6455, 7.4.1)."""

    NORMAL = 1000
    GOING_AWAY = 1001
    PROTOCOL_ERROR = 1002
    NO_STATUS = 1005
    LOST = 1006
    NO_UTF8 = 1007
    TOO_BIG = 1009
    APP_FAILED = 1011


class FrameError(Exception):
    """What came is no frame, or none that may come here; the connection closes with `code`."""

    def __init__(self, code: CloseCode, text: str) -> None:
        super().__init__(text)
        self.code = code


class FrameReader:
    """Makes messages of octets, whole ones whatever they were cut into on their way: (TEXT,
    BINARY, CLOSE, PING or PONG, payload). What it holds of an unfinished one is bounded."""

    def __init__(self, message_bytes_max: int) -> None:
        self._max = message_bytes_max
        self._buffer = bytearray()
        # Opcode of the message whose frames come, and what came of it.
        self._kind = 0
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """The messages that are whole now. Raises FrameError; nothing may be fed after that."""
        self._buffer += data
        messages: list[tuple[int, bytes]] = []
        while (frame := self._take_frame()) is not None:
            message = self._join(*frame)
            if message is not None:
                messages.append(message)
        return messages

    def _take_frame(self) -> tuple[bool, int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        final, opcode = bool(buffer[0] & 0x80), buffer[0] & 0x0F
        if buffer[0] & 0x70:
            raise FrameError(CloseCode.PROTOCOL_ERROR, "found an extension, expected none")
        if not buffer[1] & 0x80:
            raise FrameError(CloseCode.PROTOCOL_ERROR, "expected a mask")
        self._check_order(final, opcode)
        length, at = buffer[1] & 0x7F, 2
        if opcode in _control and length > _control_bytes_max:
            raise FrameError(CloseCode.PROTOCOL_ERROR, "expected a shorter control frame")
        if length > 125:
            form = "!H" if length == 126 else "!Q"
            at += struct.calcsize(form)
            if len(buffer) < at:
                return None
            smallest = 126 if length == 126 else 65_536
            (length,) = struct.unpack_from(form, buffer, 2)
            if length < smallest:
                raise FrameError(CloseCode.PROTOCOL_ERROR, "expected the shortest form of a length")
        # Before any of it is held.
        if opcode not in _control and self._size + length > self._max:
            raise FrameError(CloseCode.TOO_BIG, f"expected at most {self._max} bytes")
        end = at + 4 + length
        if len(buffer) < end:
            return None
        payload = _mask(bytes(buffer[at + 4:end]), bytes(buffer[at:at + 4]))
        del buffer[:end]
        return final, opcode, payload

    def _check_order(self, final: bool, opcode: int) -> None:
        if opcode in _control:
            if not final:
                raise FrameError(CloseCode.PROTOCOL_ERROR, "found a control frame in parts")
        elif opcode in _data:
            if self._kind:
                raise FrameError(CloseCode.PROTOCOL_ERROR, "expected the rest of a message")
        elif opcode != 0 or not self._kind:
            raise FrameError(CloseCode.PROTOCOL_ERROR, f"found opcode {opcode}")

    def _join(self, final: bool, opcode: int, payload: bytes) -> tuple[int, bytes] | None:
        if opcode in _control:
            return opcode, payload
        if opcode:
            self._kind = opcode
        if payload:
            self._parts.append(payload)
            self._size += len(payload)
        if not final:
            return None
        message = self._kind, b"".join(self._parts)
        self._kind, self._parts, self._size = 0, [], 0
        return message


def format_frame(opcode: int, payload: bytes) -> bytes:
    """One whole message, as servers send it: without a mask."""
    length = len(payload)
    if length < 126:
        head = struct.pack("!BB", 0x80 | opcode, length)
    elif length < 65_536:
        head = struct.pack("!BBH", 0x80 | opcode, 126, length)
    else:
        head = struct.pack("!BBQ", 0x80 | opcode, 127, length)
    return head + payload


def format_close(code: int, reason: str = "") -> bytes:
    """Raises ValueError for a code that no frame may carry."""
    if not _may_be_sent(code):
        raise ValueError(f"Cannot close the WebSocket with {code!r}: expected 1000 … 4999")
    text = reason.encode()[:_control_bytes_max - 2].decode("utf-8", "ignore")
    return format_frame(CLOSE, struct.pack("!H", code) + text.encode())


def read_close(payload: bytes) -> tuple[int, str]:
    """Code and reason. Raises FrameError."""
    if not payload:
        return CloseCode.NO_STATUS, ""
    code = int.from_bytes(payload[:2], "big")
    if len(payload) < 2 or not _may_be_sent(code):
        raise FrameError(CloseCode.PROTOCOL_ERROR, f"found close code {code}")
    return code, read_text(payload[2:])


def read_text(payload: bytes) -> str:
    """Raises FrameError."""
    try:
        return payload.decode()
    except UnicodeDecodeError as error:
        raise FrameError(CloseCode.NO_UTF8, "expected UTF-8") from error


# RFC 6455, 7.4: some are for what was found out and never sent.
def _may_be_sent(code: int) -> bool:
    is_named = code in range(1000, 1015) and code not in (1004, 1005, 1006)
    return is_named or code in range(3000, 5000)


def _mask(payload: bytes, key: bytes) -> bytes:
    # As one number: octet by octet Python would take a hundred times as long.
    length = len(payload)
    repeated = (key * (length // 4 + 1))[:length]
    number = int.from_bytes(payload, "little") ^ int.from_bytes(repeated, "little")
    return number.to_bytes(length, "little")
