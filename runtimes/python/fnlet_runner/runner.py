"""The life of a Runner: warm, then the process of one Revision, then draining, then gone.

I1. It is specialised once; a second Revision never sees the globals of a first.
I2. It never outlives its owner: when the control channel closes, it exits at once. The channel
    of a Pod closes only here: a Pod goes on without its owner.
I3. The user's module is imported on the main thread while the loop stands still, so that the
    module may run a loop of its own, or set up signals.
"""

import asyncio
import os
import signal
import sys
import time
from functools import partial

from . import limits
from .control_channel import ControlChannel, OpenChannel
from .failure import describe_error
from .function_server import FunctionServer
from .instance_log import install_log, outside, say
from .specialisation import Specialisation

CONTROL_FD = 3


def run(argv: list[str], open_channel: OpenChannel = partial(ControlChannel, CONTROL_FD)) -> None:
    """Runs a Runner: listens, reports itself warm, and obeys its control channel."""
    install_log()
    os.register_at_fork(
        before=_hold_signals,
        after_in_parent=_take_signals_again,
        after_in_child=_leave_signals,
    )
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    runner = Runner(loop, open_channel)
    loop.run_until_complete(runner.start(argv))
    while True:
        # A specialisation stops the loop: its code is loaded with the loop at rest. It may have
        # come as early as during the start.
        runner.load()
        loop.run_forever()


_ending = (signal.SIGTERM, signal.SIGINT)


def _hold_signals() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, _ending)


def _take_signals_again() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ending)


def _leave_signals() -> None:
    """In a process that user code forks, as `multiprocessing` does: a signal that ends it is its
    own. The loop's way of hearing of signals is shared with it, and the Runner would drain. So
    none arrives before this."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _take_signals_again()


def parse_arguments(argv: list[str]) -> tuple[str, str, int]:
    """Reads `--socket <path> --host <ip> --port <n>`; `--cache <dir>` belongs to `__main__`."""
    given = dict(zip(argv, argv[1:]))
    socket_path = given.get("--socket")
    if socket_path is None:
        raise SystemExit("Cannot start the Runner: found no --socket, expected --socket <path>")
    port = given.get("--port", "0")
    if not port.isdigit() or int(port) > 65_535:
        raise SystemExit(f"Cannot start the Runner: found --port {port}, expected 0 … 65535")
    return socket_path, given.get("--host", "127.0.0.1"), int(port)


class Runner:
    def __init__(self, loop: asyncio.AbstractEventLoop, open_channel: OpenChannel) -> None:
        self._loop = loop
        self._server = FunctionServer(loop, self._on_stuck)
        self._specialisation: Specialisation | None = None
        self._loading = False
        self._function = None
        self._ending = False
        self._control = open_channel(self._obey, self._on_garbage, lambda: os._exit(0))

    async def start(self, argv: list[str]) -> None:
        socket_path, host, port = parse_arguments(argv)
        self._host = host
        await self._server.listen_on_socket(socket_path)
        chosen = await self._server.listen_on_port(host, port)
        self._take_signals()
        self._loop.set_exception_handler(on_loop_error)
        self._control.open(self._loop)
        self._control.report({"type": "warm", "port": chosen})

    def load(self) -> None:
        """Loads the code that the owner asked for, on the main thread."""
        specialisation = self._specialisation
        if specialisation is None or self._loading:
            return
        self._loading = True
        from .load_function import LoadFailed, load_function

        began = time.perf_counter()
        if specialisation.services is not None:
            from .service_names import ServiceNames

            names = ServiceNames(specialisation.services, specialisation.namespace, self._host)
            names.install()

        def on_entry(file: str) -> None:
            # Before the first line of the user's runs: it may be the last one that does.
            self._control.report({"type": "loading", "file": file})

        try:
            self._function = load_function(specialisation, self._server, on_entry)
        except LoadFailed as failed:
            self._control.report({"type": "failed", "failure": failed.failure})
            self._server.refuse()
            return
        finally:
            # The user's module may have set up its own.
            self._take_signals()
            asyncio.set_event_loop(self._loop)
        self._start_tracing(specialisation)
        milliseconds = (time.perf_counter() - began) * 1000
        self._control.report({"type": "ready", "loadMs": milliseconds})
        self._server.serve(self._function)

    def _start_tracing(self, specialisation: Specialisation) -> None:
        from .trace_target import decide_trace_target

        target = decide_trace_target(specialisation.env, specialisation.compatibility)
        if target is None:
            return
        from .tracing import Tracing

        self._server.tracing = Tracing(target, specialisation)
        # After its code: an SDK of its own comes first.
        self._server.tracing.register()

    def _take_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self._drain)

    def _obey(self, command: dict) -> None:
        kind = command["type"]
        if kind == "specialise":
            self._specialise(command.get("specialisation"))
        elif kind == "drain":
            self._drain()
        elif kind == "rehearse":
            self._rehearse()
        elif kind == "expect":
            self._server.expect_soon()
        elif kind == "refuse":
            self._server.refuse()
        else:
            self._on_garbage()

    def _specialise(self, message: object) -> None:
        if self._specialisation is not None:
            return
        try:
            self._specialisation = Specialisation(message)
        except ValueError:
            self._on_garbage()
            return
        self._server.expect(self._specialisation)
        self._loop.stop()

    def _rehearse(self) -> None:
        if self._specialisation is None:
            from .rehearsal import rehearse

            rehearse(self._server)

    def _drain(self) -> None:
        self._end(self._specialisation.drain if self._specialisation else 0.0, 0)

    def _on_stuck(self) -> None:
        say("Too many calls do not end although their time is up: this Instance is replaced")
        self._end(limits.CRASH_DRAIN_SECONDS, 1)

    def _on_garbage(self) -> None:
        say("Cannot read the control channel: found no command, expected one a line")
        exit_now(2)

    def _end(self, seconds: float, code: int) -> None:
        if self._ending:
            return
        self._ending = True
        self._leaving = self._loop.create_task(self._leave(seconds, code))

    async def _leave(self, seconds: float, code: int) -> None:
        await self._server.drain(seconds)
        close = getattr(self._function, "close", None)
        if close is not None:
            await close()
        if self._server.tracing is not None:
            await asyncio.to_thread(self._server.tracing.flush, limits.SPAN_FLUSH_SECONDS)
        await self._control.close()
        exit_now(code)


def on_loop_error(loop: asyncio.AbstractEventLoop, context: dict) -> None:
    """What nobody awaited: its call goes on, the stack is in the log."""
    error = context.get("exception")
    text = context.get("message", "Unhandled error")
    say(text if error is None else f"{text}: {describe_error(error)}")


def exit_now(code: int) -> None:
    """Ends the process, whatever threads are still at work; what asked for it is told first."""
    import atexit

    try:
        atexit._run_exitfuncs()
    except BaseException as error:
        say(f"Error at exit: {describe_error(error)}")
    outside.flush()
    for call_log in (sys.stdout, sys.stderr):
        call_log.flush()
    os._exit(code)
