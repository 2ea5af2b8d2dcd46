"""What `/metrics` says of the calls of this Instance, in the text format of Prometheus.

The names and the label `method` are those of Kyma's and Kubeless's Python runtimes.
"""

from bisect import bisect_left

# Upper bounds in seconds: those of the Python client of Prometheus, which both use.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
CONTENT_TYPE = "text/plain; version=0.0.4"

# Any other method is counted under one name, so that callers cannot make up series.
_methods = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


class _Series:
    __slots__ = ("calls", "failures", "seconds", "buckets")

    def __init__(self) -> None:
        self.calls = 0
        self.failures = 0
        self.seconds = 0.0
        self.buckets = [0] * (len(BUCKETS) + 1)


class Metrics:
    def __init__(self) -> None:
        self._series: dict[str, _Series] = {}

    def observe(self, method: str, seconds: float, failed: bool) -> None:
        """Counts a call whose answer is out."""
        name = method if method in _methods else "OTHER"
        series = self._series.get(name)
        if series is None:
            series = self._series[name] = _Series()
        series.calls += 1
        series.failures += failed
        series.seconds += seconds
        series.buckets[bisect_left(BUCKETS, seconds)] += 1

    def text(self) -> str:
        calls = self._counter("function_calls_total", "Number of calls", "calls")
        failures = self._counter("function_failures_total", "Number of failed calls", "failures")
        return "\n".join([*calls, *failures, *self._durations(), ""])

    def _counter(self, name: str, described: str, field: str) -> list[str]:
        lines = [f"# HELP {name} {described}", f"# TYPE {name} counter"]
        for method, series in self._series.items():
            lines.append(f'{name}{{method="{method}"}} {getattr(series, field)}')
        return lines

    def _durations(self) -> list[str]:
        name = "function_duration_seconds"
        lines = [f"# HELP {name} Duration of calls in seconds", f"# TYPE {name} histogram"]
        for method, series in self._series.items():
            total = 0
            for bound, count in zip((*map(str, BUCKETS), "+Inf"), series.buckets):
                total += count
                lines.append(f'{name}_bucket{{method="{method}",le="{bound}"}} {total}')
            lines.append(f'{name}_sum{{method="{method}"}} {series.seconds}')
            lines.append(f'{name}_count{{method="{method}"}} {series.calls}')
        return lines
