"""What `/metrics` says of the calls of this Instance, in the text format of Prometheus.

The names and the label `method` are those of Kyma's and Kubeless's runtimes.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

# Upper bounds in seconds: those that all Runners have.
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
# Those of Kyma's runtimes, in milliseconds.
MILLISECONDS = (0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000)
CONTENT_TYPE = "text/plain; version=0.0.4"

# Any other method is counted under one name, so that callers cannot make up series.
_methods = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


class _Histogram:
    __slots__ = ("_bounds", "_counts", "_sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float) -> None:
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def lines(self, name: str, labels: str) -> Iterator[str]:
        total = 0
        for bound, count in zip((*map(str, self._bounds), "+Inf"), self._counts):
            total += count
            yield f'{name}_bucket{{{labels},le="{bound}"}} {total}'
        yield f"{name}_sum{{{labels}}} {self._sum}"
        yield f"{name}_count{{{labels}}} {total}"


class _Series:
    __slots__ = ("calls", "failures", "seconds", "milliseconds")

    def __init__(self) -> None:
        self.calls = 0
        self.failures = 0
        self.seconds = _Histogram(SECONDS)
        self.milliseconds = _Histogram(MILLISECONDS)


class Metrics:
    def __init__(self) -> None:
        self._series: dict[str, _Series] = {}

    def observe(self, method: str, seconds: float, failed: bool) -> None:
        """Counts a call that is over; `failed`: its handler raised, or did not answer in time."""
        name = method if method in _methods else "OTHER"
        series = self._series.get(name)
        if series is None:
            series = self._series[name] = _Series()
        series.calls += 1
        series.failures += failed
        series.seconds.observe(seconds)
        series.milliseconds.observe(seconds * 1000)

    def text(self, kyma_function: str | None = None) -> str:
        """All of it; for a Function of Kyma with the label and the spelling of Kyma's besides."""
        scope = "" if kyma_function is None else f',otel_scope_name="{kyma_function}"'
        labelled = [
            (f'method="{method}"{scope}', series) for method, series in self._series.items()
        ]
        lines: list[str] = []
        for name, field, described in _counters:
            lines += [f"# HELP {name} {described}", f"# TYPE {name} counter"]
            lines += [f"{name}{{{labels}}} {getattr(one, field)}" for labels, one in labelled]
        for name, field, described in _histograms[: 1 if kyma_function is None else 2]:
            lines += [f"# HELP {name} {described}", f"# TYPE {name} histogram"]
            for labels, series in labelled:
                lines += getattr(series, field).lines(name, labels)
        return "\n".join([*lines, ""])


_failures = "Calls whose handler raised or did not answer in time."
_duration = "Time from a request to the end of its answer, in"
_counters = (
    ("function_calls_total", "calls", "Calls that were taken."),
    ("function_failures_total", "failures", _failures),
)
_histograms = (
    ("function_duration_seconds", "seconds", f"{_duration} seconds."),
    # Kyma's spelling, which its dashboards repeat.
    ("function_duration_miliseconds", "milliseconds", f"{_duration} milliseconds."),
)
