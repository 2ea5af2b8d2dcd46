"""Finds what answers calls among the names of a module, and how it wants to be called.

| what it is | style |
|---|---|
| it takes `(scope, receive, send)` | ASGI |
| it takes `(environ, start_response)`, or is an object with `wsgi_app` | WSGI |
| it is a Kyma Function's and takes nothing | Flask: its request is `flask.request` |
| it is a Kyma or Kubeless Function's | `(event, context)` |
| it is called `main`, or its first parameter `event` | `(event, context)` |
| any other callable | `(request, context)`, or less of it |
"""

import inspect
from collections.abc import Callable

# What is called for the handler `default`: the first that is there.
DEFAULT_NAMES = ("handler", "main", "app", "application")

# Names of servers and proxies behind which an app is wrapped differently than it looks.
_asgi = ("scope", "receive", "send")
_wsgi = ("environ", "start_response")


class MissingHandler(Exception):
    """Says what the module has instead."""


def find_handler(module: object, name: str) -> tuple[str, Callable]:
    """The name and the value that are called. Raises MissingHandler."""
    names = DEFAULT_NAMES if name == "default" else (name,)
    for candidate in names:
        value = getattr(module, candidate, None)
        if callable(value) and not (inspect.isclass(value) and not _is_app_class(value)):
            return candidate, value
    expected = (
        f"a function called {', '.join(DEFAULT_NAMES[:-1])} or {DEFAULT_NAMES[-1]}"
        if name == "default"
        else f'a function "{name}"'
    )
    raise MissingHandler(f"found {_described(module)}, expected {expected}")


def decide_style(name: str, handler: Callable, compatibility: str | None) -> str:
    """One of asgi, wsgi, flask, event, request."""
    parameters = positional(handler)
    if len(parameters) == 3 and (parameters == list(_asgi) or _calls_async(handler)):
        return "asgi"
    if hasattr(handler, "wsgi_app") or parameters in (list(_wsgi), ["env", "start_response"]):
        return "wsgi"
    if compatibility == "kyma" and not parameters and not _is_variadic(handler):
        return "flask"
    if compatibility is not None or name == "main" or parameters[:1] == ["event"]:
        return "event"
    return "request"


def positional(handler: Callable) -> list[str]:
    """Names of the parameters that are given by position."""
    return [
        parameter.name
        for parameter in _parameters(handler)
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]


def taken(handler: Callable, given: int) -> int:
    """How many of this many arguments it takes."""
    return given if _is_variadic(handler) else min(given, len(positional(handler)))


def _is_variadic(handler: Callable) -> bool:
    return any(parameter.kind == parameter.VAR_POSITIONAL for parameter in _parameters(handler))


def _parameters(handler: Callable) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(handler).parameters.values())
    except (TypeError, ValueError):
        # Compiled code need not say; it is called with all there is.
        return [inspect.Parameter("given", inspect.Parameter.VAR_POSITIONAL)]


def _calls_async(handler: Callable) -> bool:
    ways = (handler, getattr(handler, "__call__", None))
    return any(inspect.iscoroutinefunction(way) for way in ways)


# Nobody says when to make an instance of a class, but for those that stand for one call.
def _is_app_class(value: type) -> bool:
    return positional(value) in (list(_asgi), list(_wsgi))


def _described(module: object) -> str:
    own = [
        ("a class " if inspect.isclass(value) else "") + f'"{name}"'
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    return ", ".join(own[:10]) if own else "no functions"
