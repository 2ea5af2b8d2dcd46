"""JSON as calls carry it."""

import json

from .request_head import Refused

_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def write_json(value: object) -> bytes:
    """Raises TypeError or ValueError for what is no JSON value."""
    return _compact(value).encode()


def read_json(body: bytes) -> object:
    """Raises Refused (400) for what is no JSON text."""
    try:
        return json.loads(body)
    except ValueError as error:
        raise Refused(400, f"Cannot read the request body as JSON: {error}") from error
