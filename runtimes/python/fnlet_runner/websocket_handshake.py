"""How a WebSocket begins (RFC 6455, 4.2)."""

import base64
import binascii
import hashlib

from .request_head import RequestHead
from .response_head import Headers, format_fields

# RFC 6455, 1.3.
_guid = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def decide_refusal(head: RequestHead) -> tuple[int, str] | None:
    """Status and text for what asks for a WebSocket and is no handshake."""
    if head.method != "GET" or head.version != "HTTP/1.1" or head.has_body:
        return 400, "Cannot open a WebSocket: expected GET of HTTP/1.1 without a body"
    if head.headers.get("sec-websocket-version") != "13":
        return 426, "Cannot open a WebSocket: expected version 13"
    try:
        key = base64.b64decode(head.headers.get("sec-websocket-key", ""), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    return None if len(key) == 16 else (400, "Cannot open a WebSocket: expected a key of 16 bytes")


def offered_subprotocols(head: RequestHead) -> list[str]:
    offered = head.headers.get("sec-websocket-protocol", "")
    return [name.strip() for name in offered.split(",") if name.strip()]


def format_acceptance(head: RequestHead, headers: Headers) -> bytes:
    """The whole answer that opens the WebSocket. Raises ValueError for what is no header."""
    key = head.headers["sec-websocket-key"].encode("latin-1")
    accept = base64.b64encode(hashlib.sha1(key + _guid).digest())
    return b"".join(
        (
            b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n",
            b"sec-websocket-accept: %b\r\n" % accept,
            format_fields(headers),
            b"\r\n",
        )
    )
