"""CloudEvents 1.0 over HTTP: structured, binary and batched events in, structured events out."""

import base64
from collections.abc import Mapping

from .form_data import decode_text, parse_media_type
from .json_text import read_json
from .request_head import Refused

STRUCTURED = "application/cloudevents+json"
BATCH = "application/cloudevents-batch+json"

# Of the keys `ce-…` of Kyma's events, where the event has them.
_attributes = (
    "type",
    "source",
    "id",
    "time",
    "specversion",
    "eventtypeversion",
    "datacontenttype",
    "subject",
)


def read_body(headers: Mapping[str, str], body: bytes) -> object:
    """A body by its content type, in whatever case and with whatever charset: JSON parsed, text
    as text, forms as a dict, anything else as bytes."""
    media_type, parameters = parse_media_type(headers.get("content-type", ""))
    if media_type == "application/json":
        return read_json(body)
    if media_type.startswith("text/"):
        return decode_text(body, parameters)
    if media_type == "application/x-www-form-urlencoded":
        from .form_data import parse_query

        return dict(parse_query(decode_text(body, parameters)))
    return body


def read_cloud_event(headers: Mapping[str, str], body: bytes) -> tuple[dict, object] | None:
    """Attributes under their keys `ce-…`, and the data; None for what is no CloudEvent.

    A batch has no attributes, and as data the list of its events.
    """
    media_type, _ = parse_media_type(headers.get("content-type", ""))
    if media_type == STRUCTURED:
        return _structured(read_json(body))
    if media_type == BATCH:
        events = read_json(body)
        if not isinstance(events, list):
            raise Refused(400, "Cannot read the events: found no list, expected a batch")
        return {}, [_decoded(event) for event in events]
    if "ce-type" in headers and "ce-source" in headers:
        attributes = {f"ce-{name}": headers.get(f"ce-{name}") for name in _attributes}
        attributes["ce-datacontenttype"] = headers.get("content-type")
        return _present(attributes), read_body(headers, body) if body else None
    return None


def _structured(envelope: object) -> tuple[dict, object]:
    if not isinstance(envelope, dict):
        raise Refused(400, "Cannot read the event: found no object, expected a CloudEvent")
    attributes = _present({f"ce-{name}": envelope.get(name) for name in _attributes})
    encoded = envelope.get("data_base64")
    if isinstance(encoded, str):
        return attributes, base64.b64decode(encoded)
    return attributes, envelope.get("data")


def _decoded(envelope: object) -> dict:
    _, data = _structured(envelope)
    fields = dict(envelope) if isinstance(envelope, dict) else {}
    if fields.pop("data_base64", None) is not None:
        fields["data"] = data
    return fields


def is_cloud_event(value: object) -> bool:
    """Whether a value that a handler returned is an event as the answer."""
    return isinstance(value, dict) and value.keys() >= {"specversion", "type", "source", "id"}


def _present(attributes: dict) -> dict:
    return {name: value for name, value in attributes.items() if value is not None}


def make_cloud_event(
    event_type: str, source: str, data: object, attributes: Mapping[str, object]
) -> dict[str, object]:
    """A structured event as Kyma's runtimes make it."""
    from datetime import UTC, datetime
    from uuid import uuid4

    is_text = isinstance(data, str)
    return {
        "specversion": "1.0",
        "id": str(uuid4()),
        "type": event_type,
        "source": source,
        "time": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        "datacontenttype": "text/plain" if is_text else "application/json",
        **attributes,
        "data": data,
    }


def publish(url: str, event: Mapping[str, object]) -> None:
    """Posts a structured event. Raises OSError when it was not taken."""
    import json
    from urllib.request import Request, urlopen

    content = json.dumps(event).encode()
    request = Request(url, content, {"content-type": STRUCTURED}, method="POST")
    with urlopen(request, timeout=30):
        pass
