"""Loads the code of a Revision and finds its handler."""

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

from .entry import EntryNotFound, find_entry
from .environment import enter
from .handler_style import MissingHandler, decide_style, find_handler, taken
from .load_failure import describe_load_failure
from .specialisation import Specialisation
from .trace_propagation import propagate_traces

if TYPE_CHECKING:
    from .function_server import FunctionServer, ServedFunction

_doors = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "doors")


class LoadFailed(Exception):
    """`failure` is what the owner is told."""

    def __init__(self, failure: dict) -> None:
        super().__init__(failure["message"])
        self.failure = failure


def load_function(
    given: Specialisation, server: "FunctionServer", on_entry: Callable[[str], None]
) -> "ServedFunction":
    """Imports the user's module, whose file it tells `on_entry` before. Raises LoadFailed."""
    source = os.path.realpath(given.source_directory)
    enter(given, source, _doors)
    try:
        file, name = find_entry(source, given.handler)
    except EntryNotFound as error:
        raise LoadFailed({"code": "EntryNotFound", "message": str(error)}) from None
    sys.argv = [os.path.join(source, file)]
    on_entry(file)
    propagate_traces()
    try:
        module = import_entry(source, file)
        operator = None if given.compatibility else find_operator(module, name)
        if operator is not None:
            from .operator_style import OperatorFunction

            return OperatorFunction(operator)
        found, handler = find_handler(module, name)
        style = decide_style(found, handler, given.compatibility)
        return make_function(style, handler, given, server)
    except MissingHandler as error:
        message = f'Cannot use handler "{given.handler}" of "{file}": {error}'
        failure = {"code": "MissingExport", "message": message, "file": file}
        raise LoadFailed(failure) from None
    except BaseException as error:
        # SystemExit too: a module that ends the process does not load.
        raise LoadFailed(describe_load_failure(error, source, file)) from None


def import_entry(source: str, file: str) -> ModuleType:
    """A file below a directory is imported as a module of packages, so that it may import its
    neighbours by a relative name; one at the top under its own name, whatever that is."""
    parts = file.removesuffix(".py").split("/")
    if len(parts) > 1 and all(part.isidentifier() for part in parts):
        return importlib.import_module(".".join(part for part in parts if part != "__init__"))
    name = parts[-1]
    if name in sys.modules:
        # As a module of Python that is loaded already, and that others rely on.
        name = f"function_{name}"
    spec = importlib.util.spec_from_file_location(name, os.path.join(source, file))
    if spec is None or spec.loader is None:
        raise ImportError(f"found {file}, expected a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def find_operator(module: ModuleType, name: str) -> object | None:
    """The operator of this name; for `default` the only one of the module."""
    door = sys.modules.get("fnlet.operator")
    if door is None:
        return None
    if name == "default":
        own = {id(one): one for one in vars(module).values() if isinstance(one, door.Operator)}
        return next(iter(own.values())) if len(own) == 1 else None
    value = getattr(module, name, None)
    return value if isinstance(value, door.Operator) else None


def make_function(
    style: str, handler: Callable, given: Specialisation, server: "FunctionServer"
) -> "ServedFunction":
    """What answers calls with this handler."""
    if style == "asgi":
        from .asgi_style import AsgiFunction

        app = AsgiFunction(handler)
        server.loop.run_until_complete(app.open())
        return app
    if style in ("wsgi", "flask"):
        from .wsgi_style import WsgiFunction

        return WsgiFunction(handler if style == "wsgi" else flask_app(handler))
    from .direct_style import DirectFunction

    if style == "request":
        from fnlet import Context, Request

        count = taken(handler, 2)
        return DirectFunction(handler, lambda call: (Request(call), Context(call))[:count], "own")
    from .event import Event, kubeless_event
    from .event_context import EventContext

    make_event = kubeless_event if given.compatibility == "kubeless" else Event
    rules = given.compatibility or "event"
    count = taken(handler, 2)
    return DirectFunction(
        handler, lambda call: (make_event(call), EventContext(call))[:count], rules
    )


def flask_app(handler: Callable) -> Callable:
    """Kyma's newer form: `main()` asks `flask.request`, and answers as a view of Flask."""
    from flask import Flask

    app = Flask("handler")
    methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    for rule in ("/", "/<path:path>"):
        app.add_url_rule(
            rule,
            endpoint=f"main {rule}",
            view_func=lambda path="": handler(),
            methods=methods,
            provide_automatic_options=False,
        )
    return app
