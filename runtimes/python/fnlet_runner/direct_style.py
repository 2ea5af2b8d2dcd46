"""Functions whose handler is called with a request, or an event, and returns the answer."""

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable
from contextvars import Context as Variables
from typing import TYPE_CHECKING

from .answer import answer, answer_from_thread
from .bottle_request import BottleRequest
from .current import variables_of
from .request_head import Refused
from .result import Result, decide_result, set_headers
from .workers import Job
from .wsgi_environ import make_environ

if TYPE_CHECKING:
    from .call import Call

Arguments = Callable[["Call"], tuple]


class DirectFunction:
    """Async handlers run on the loop, all others in threads.

    `arguments` makes what the handler is called with; `rules` are those of `decide_result`.
    """

    streams = False
    takes_websockets = False

    def __init__(self, handler: Callable, arguments: Arguments, rules: str) -> None:
        self._handler = handler
        self._arguments = arguments
        self._rules = rules
        self._is_async = is_async(handler)
        self._bottle = installed_bottle()

    def start(self, call: "Call") -> None:
        variables = variables_of(call)
        if self._is_async:
            loop = call.server.loop
            call.task = loop.create_task(self._run(call, None), context=variables)
        else:
            job = Job(variables, lambda: self._work(call, variables))
            call.server.workers.submit(job)
            call.job = job

    def _work(self, call: "Call", variables: Variables) -> None:
        post = call.server.workers.post
        try:
            value = self._call(call)
            if not inspect.isawaitable(value):
                value = self._result(call, value)
            if not isinstance(value, Result) or hasattr(value.body, "__aiter__"):
                # A plain function that returned what only the loop can wait for.
                post(self._go_on, call, value, variables.copy())
                return
            answer_from_thread(call, value)
        except BaseException as error:
            post(self._fail, call, error)
        post(call.worked)

    def _go_on(self, call: "Call", value: Awaitable | Result, variables: Variables) -> None:
        call.job = None
        call.task = call.server.loop.create_task(self._run(call, value), context=variables)
        if call.closed:
            call.task.cancel()

    async def _run(self, call: "Call", value: Awaitable | Result | None) -> None:
        try:
            if value is None:
                value = self._call(call)
            if inspect.isawaitable(value):
                value = await value
            result = value if isinstance(value, Result) else self._result(call, value)
            await answer(call, result)
        except asyncio.CancelledError as error:
            call.fail(error)
        except BaseException as error:
            self._fail(call, error)
        finally:
            call.worked()

    def _call(self, call: "Call"):
        if self._bottle is not None:
            # Bottle itself keeps its request and response by thread.
            self._bottle.request.bind(make_environ(call))
            self._bottle.response.bind()
            call.view["bottle.response"] = self._bottle.response
        return self._handler(*self._arguments(call))

    def _result(self, call: "Call", value: object) -> Result:
        result = decide_result(value, self._rules)
        preset = call.view.get("bottle.response")
        if preset is not None and not hasattr(value, "headerlist"):
            # What the handler set on Bottle's `response` before it returned.
            result.status = preset.status_code if result.status == 200 else result.status
            given = set_headers(preset)
            names = {name.lower() for name, _ in given}
            kept = [pair for pair in result.headers if pair[0].lower() not in names]
            result.headers = [*kept, *given]
        return result

    def _fail(self, call: "Call", error: BaseException) -> None:
        if isinstance(error, Refused):
            call.refuse(error.status, error.text)
        elif hasattr(error, "headerlist") and hasattr(error, "body"):
            # Bottle's HTTPResponse, raised.
            result = decide_result(error, self._rules)
            call.server.loop.create_task(answer(call, result))
        else:
            call.fail(error)


def is_async(handler: object) -> bool:
    """Whether what it does is done on the loop."""
    method = getattr(handler, "__call__", None)
    ways = [handler] if inspect.isroutine(handler) else [handler, method]
    return any(inspect.iscoroutinefunction(way) or inspect.isasyncgenfunction(way) for way in ways)


def installed_bottle():
    """Bottle, if the function uses Bottle itself and not what stands for it here."""
    module = sys.modules.get("bottle")
    is_ours = getattr(module, "BottleRequest", None) is BottleRequest
    return None if is_ours or not hasattr(module, "LocalRequest") else module
