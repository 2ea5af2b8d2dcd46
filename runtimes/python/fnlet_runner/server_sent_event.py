"""One item of an iterator as one server-sent event (WHATWG HTML, 9.2)."""

import re

from .json_text import write_json

_fields = frozenset(("event", "id", "retry", "data"))
_line_break = re.compile(r"\r\n|\r|\n")
# A line break inside one of these fields would start another field.
_breaks = re.compile(r"[\r\n\0]")


def format_event(item: object) -> bytes:
    """- a text is the data, each of its lines a `data:` line;
    - a dict of nothing but `event`, `id`, `retry` and `data` is taken apart into these fields;
    - anything else is sent as JSON data.
    """
    if not (isinstance(item, dict) and item and _fields.issuperset(item)):
        return _data(item) + b"\n"
    event = b""
    for name in ("event", "id", "retry"):
        if item.get(name) is not None:
            event += f"{name}: {_breaks.sub(' ', str(item[name]))}\n".encode()
    if "data" in item:
        event += _data(item["data"])
    return event + b"\n"


def _data(value: object) -> bytes:
    if isinstance(value, (bytes, bytearray)):
        value = value.decode("utf-8", "replace")
    text = value if isinstance(value, str) else write_json(value).decode()
    return "".join(f"data: {line}\n" for line in _line_break.split(text)).encode()
