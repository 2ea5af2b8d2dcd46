"""The second argument of `(event, context)` handlers: the keys of Kyma and Kubeless."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .call import Call


class EventContext(dict[str, object]):
    """A dict, because that is what handlers of both index; and what Fnlet's own contexts have
    besides, as attributes."""

    def __init__(self, call: "Call") -> None:
        given = call.server.specialisation
        self._call = call
        is_kubeless = given.compatibility == "kubeless"
        timeout: object = given.timeout
        if given.timeout.is_integer():
            timeout = int(given.timeout)
        # Kubeless's runtime hands on what its environment says: text.
        super().__init__(
            {
                "function-name": given.function,
                "namespace": given.namespace,
                "runtime": given.runtime,
                "timeout": str(timeout) if is_kubeless else timeout,
                "memory-limit": given.env.get("FUNC_MEMORY_LIMIT"),
            }
        )
        if not is_kubeless:
            self["body-size-limit"] = int(given.body_bytes_max)

    def __getattr__(self, name: str):
        from fnlet import Context

        if name.startswith("_") or not hasattr(Context, name):
            raise AttributeError(name)
        return getattr(Context(self._call), name)
