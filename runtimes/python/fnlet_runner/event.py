"""The first argument of `(event, context)` handlers."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .bottle_request import BottleRequest
from .cloud_event import make_cloud_event, publish, read_body, read_cloud_event
from .form_data import parse_media_type
from .json_text import read_json
from .tracer import Tracer

if TYPE_CHECKING:
    from .call import Call

# Kubeless's own metadata, and what of a CloudEvent stands for it.
_event_headers = {
    "event-id": "ce-id",
    "event-type": "ce-type",
    "event-time": "ce-time",
    "event-namespace": "ce-source",
}


class Event(dict[str, object]):
    """What happened: `data`, `extensions`, and `ce-…` for CloudEvents.

    Kyma's event is indexed and has no `data` attribute although its documentation says so; here
    both work. `event['data']` is None where there is none.
    """

    def __init__(self, call: "Call") -> None:
        super().__init__()
        headers = call.head.headers
        request = call.view["bottle.request"] = BottleRequest(call)
        cloud_event = read_cloud_event(headers, call.body)
        if cloud_event is not None:
            attributes, data = cloud_event
            self.update(attributes)
            self["data"] = data
        elif call.body:
            self["data"] = read_body(headers, call.body)
        self["extensions"] = {"request": request}
        self.req = request

    def __missing__(self, key: str) -> None:
        if key == "data":
            return None
        raise KeyError(key)

    @property
    def ceHeaders(self) -> "Event":
        """All that Kyma's event is indexed by, `data` and `extensions` too: what is taken out of
        one is gone from the other."""
        return self

    @property
    def data(self) -> object:
        return self["data"]

    @property
    def extensions(self) -> object:
        return self["extensions"]

    @property
    def tracer(self) -> object:
        return Tracer.current()

    def emitCloudEvent(
        self,
        type: str,
        source: str,
        data: object,
        optionalCloudEventAttributes: Mapping[str, object] | None = None,
    ) -> None:
        """Publishes an event; raises OSError when nobody takes it."""
        event = make_cloud_event(type, source, data, optionalCloudEventAttributes or {})
        publish(publisher_url(), event)

    def publishCloudEvent(self, data: Mapping[str, object]) -> None:
        """Publishes a whole structured event. Deprecated in Kyma."""
        publish(publisher_url(), data)

    def buildResponseCloudEvent(self, event_id: str, event_type: str, data: object) -> dict:
        """An event as the answer to this one. Deprecated in Kyma."""
        attributes = {"id": event_id, "eventtypeversion": self.get("ce-eventtypeversion")}
        return make_cloud_event(event_type, str(self.get("ce-source")), data, attributes)


def publisher_url() -> str:
    url = os.environ.get("PUBLISHER_PROXY_ADDRESS")
    if not url:
        raise OSError("Cannot publish an event: found no PUBLISHER_PROXY_ADDRESS, expected a URL")
    return url


def kubeless_event(call: "Call") -> dict[str, object]:
    """As Kubeless's runtime made it: JSON parsed, anything else as bytes."""
    headers = call.head.headers
    request = call.view["bottle.request"] = BottleRequest(call)
    cloud_event = read_cloud_event(headers, call.body)
    attributes, data = cloud_event or ({}, call.body)
    # What a trigger of Kubeless brings is read its way, also where it is a CloudEvent besides.
    if cloud_event is None or "event-namespace" in headers:
        media_type, _ = parse_media_type(request.content_type)
        is_json = call.body and media_type == "application/json"
        data = read_json(call.body) if is_json else call.body
    event: dict[str, object] = {
        "data": data,
        "extensions": {"request": request},
        **attributes,
    }
    for name, attribute in _event_headers.items():
        event[name] = headers.get(name, attributes.get(attribute))
    return event
