"""Addresses that stand for Services between the resolving of a name and the connecting."""

from . import limits

Service = tuple[str, str]


class StandIns:
    """Gives out addresses of class E (RFC 1112, 4): no machine has them, and no network leads
    there. A Service (namespace, name) keeps its own; with too many of them, the one that was asked
    for first loses it."""

    def __init__(self) -> None:
        self._addresses: dict[Service, str] = {}
        self._services: dict[str, Service] = {}
        self._last = 0

    def of(self, service: Service) -> str:
        known = self._addresses.get(service)
        if known is not None:
            return known
        if len(self._addresses) >= limits.STAND_INS_MAX:
            self._services.pop(self._addresses.pop(next(iter(self._addresses))), None)
        self._last = (self._last + 1) % 2**24
        address = "240." + ".".join(str(self._last >> shift & 0xFF) for shift in (16, 8, 0))
        self._addresses[service] = address
        self._services[address] = service
        return address

    def service_at(self, address: str) -> Service | None:
        return self._services.get(address) if address.startswith("240.") else None
