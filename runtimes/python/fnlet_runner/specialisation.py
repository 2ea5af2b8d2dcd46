"""What turns a warm Runner into an Instance of a Revision, read from the control channel."""

import math


class Specialisation:
    """The specialise message of the invocation contract; see `Specialisation` of the room
    `invocation` for what each field means. Times are seconds here."""

    def __init__(self, message: object) -> None:
        """Raises ValueError for what is no specialisation."""
        fields = _record(message)
        self.namespace = _text(fields, "namespace")
        self.function = _text(fields, "function")
        self.revision = _text(fields, "revision")
        self.instance = _text(fields, "instance")
        self.runtime = _text(fields, "runtime")
        self.source_directory = _text(fields, "sourceDirectory")
        self.handler = _text(fields, "handler")
        self.compatibility: str | None = fields.get("compatibility")
        if self.compatibility not in (None, "kyma", "kubeless"):
            raise ValueError(f"found compatibility {self.compatibility!r}")
        # Where names of Services lead; None: they are not resolved.
        self.services: tuple[str, int] | None = None
        if fields.get("services") is not None:
            services = _record(fields["services"])
            self.services = (_text(services, "host"), int(_number(services, "port")))
        env = _record(fields.get("env"))
        self.env: dict[str, str] = {name: _text(env, name) for name in env}
        limits = _record(fields.get("limits"))
        self.timeout = _number(limits, "timeoutMs") / 1000
        self.body_bytes_max = _number(limits, "bodyBytesMax")
        self.drain = _number(limits, "drainMs") / 1000
        if self.compatibility is not None:
            # Their runtimes are told by variables, which hold instead.
            self.timeout = _setting(self.env, "FUNC_TIMEOUT", self.timeout)
            self.body_bytes_max = _setting(self.env, "FUNC_MEMFILE_MAX", 100 * 1024 * 1024)


def _setting(env: dict[str, str], name: str, otherwise: float) -> float:
    try:
        value = float(env.get(name, ""))
    except ValueError:
        return otherwise
    return value if math.isfinite(value) and value > 0 else otherwise


def _record(value: object) -> dict:
    if not isinstance(value, dict):
        raise ValueError(f"found {type(value).__name__}, expected an object")
    return value


def _text(fields: dict, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise ValueError(f"found {name} {value!r}, expected text")
    return value


def _number(fields: dict, name: str) -> float:
    value = fields.get(name)
    fits = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not fits or not math.isfinite(value) or value < 0:
        raise ValueError(f"found {name} {value!r}, expected a number of 0 or more")
    return value
