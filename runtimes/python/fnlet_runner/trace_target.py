"""Where spans are sent; see `decideTraceTarget` of the room `invocation`."""

from collections.abc import Mapping

# Functions for Kyma are always told so: what merely repeats it asks for nothing.
_kyma_collector = "http://telemetry-otlp-traces.kyma-system.svc.cluster.local:4318/v1/traces"


class TraceTarget:
    def __init__(self, url: str, headers: dict[str, str], service: str | None) -> None:
        self.url = url
        self.headers = headers
        self.service = service


def decide_trace_target(env: Mapping[str, str], compatibility: str | None) -> TraceTarget | None:
    """None: nobody wants any spans."""
    if env.get("OTEL_SDK_DISABLED") == "true" or env.get("OTEL_TRACES_EXPORTER") == "none":
        return None
    url = env.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    shared = env.get("OTEL_EXPORTER_OTLP_ENDPOINT")
    if url is None and shared is not None:
        url = f"{shared.removesuffix('/')}/v1/traces"
    if url is None and compatibility == "kyma":
        url = env.get("TRACE_COLLECTOR_ENDPOINT")
        if url == _kyma_collector:
            return None
    if url is None or not url.startswith(("http://", "https://")):
        return None
    shared_headers = env.get("OTEL_EXPORTER_OTLP_HEADERS", "")
    headers = env.get("OTEL_EXPORTER_OTLP_TRACES_HEADERS", shared_headers)
    return TraceTarget(url, _read_headers(headers), env.get("OTEL_SERVICE_NAME"))


def _read_headers(text: str) -> dict[str, str]:
    from urllib.parse import unquote

    pairs = (pair.partition("=") for pair in text.split(","))
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs if name.strip()}
