"""WSGI apps (PEP 3333), each call in a thread."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from .answer import answer_from_thread
from .current import variables_of
from .result import Result
from .workers import Job
from .wsgi_environ import make_environ

if TYPE_CHECKING:
    from .call import Call


class WsgiFunction:
    streams = False
    takes_websockets = False

    def __init__(self, app: Callable) -> None:
        self._app = app

    def start(self, call: "Call") -> None:
        job = Job(variables_of(call), lambda: self._work(call))
        call.server.workers.submit(job)
        call.job = job

    def _work(self, call: "Call") -> None:
        post = call.server.workers.post
        try:
            self._answer(call)
        except BaseException as error:
            post(call.fail, error)
        post(call.worked)

    def _answer(self, call: "Call") -> None:
        started: list[tuple[int, list[tuple[str, str]]]] = []
        written: list[bytes] = []

        def start_response(status: str, headers: list, exc_info: tuple | None = None):
            if exc_info is None and started:
                raise AssertionError("start_response was called twice without exc_info")
            started[:] = [(int(status.split(" ", 1)[0]), list(headers))]
            return written.append

        parts = self._app(make_environ(call), start_response)
        close = getattr(parts, "close", None)
        try:
            if isinstance(parts, (list, tuple)):
                status, headers = started[0]
                body = b"".join((*written, *parts))
                answer_from_thread(call, Result(status, headers, body))
            else:
                self._stream(call, started, written, iter(parts))
        finally:
            if close is not None:
                close()

    def _stream(self, call: "Call", started: list, written: list[bytes], items) -> None:
        # An app may call start_response as late as at its first item.
        first = next(items, b"")
        if not started:
            raise AssertionError("start_response was not called")
        status, headers = started[0]

        def chunks():
            yield b"".join((*written, first))
            yield from items

        answer_from_thread(call, Result(status, headers, chunks()))
