"""Owns the threads in which handlers run that are not async.

I1. At most THREADS_MAX of them work; each takes one job at a time, first come first served.
I2. All but the jobs themselves happens on the loop's thread; what a thread found out is handed
    over with `post`.
I3. A job that is interrupted costs its thread: it takes no other job, and another thread may
    start. So an exception that comes late reaches nobody else.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context
from queue import SimpleQueue

from . import limits


class CallCancelled(BaseException):
    """Raised inside a handler whose call is over, so that it ends. No Exception, so that a plain
    `except Exception` around a slow request does not keep it alive."""


class TooManyCalls(Exception):
    """So many jobs wait for a thread that one more would wait in vain."""


class Job:
    """One piece of work; `run` is what to do and never raises but for an interruption."""

    __slots__ = ("_context", "_run", "_lock", "_thread_id", "_state")

    def __init__(self, context: Context, run: Callable[[], None]) -> None:
        self._context = context
        self._run = run
        self._lock = threading.Lock()
        self._thread_id = 0
        self._state = "waiting"

    def work(self) -> bool:
        """Does it, and says whether the thread may go on with other jobs."""
        with self._lock:
            if self._state != "waiting":
                return True
            self._state = "running"
            self._thread_id = threading.get_ident()
        self._context.run(self._run)
        with self._lock:
            interrupted = self._state == "interrupted"
            self._state = "done"
        return not interrupted

    def interrupt(self) -> bool:
        """Ends it as soon as its thread runs Python code again; whether it was running."""
        with self._lock:
            was_running = self._state == "running"
            if self._state != "done":
                self._state = "interrupted"
            if was_running:
                _raise_in(self._thread_id)
            return was_running


def _raise_in(thread_id: int) -> None:
    try:
        from ctypes import c_ulong, py_object, pythonapi
    except ImportError:
        # A Python without it: the thread ends when the handler does.
        return
    pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread_id), py_object(CallCancelled))


class Workers:
    def __init__(self, loop: asyncio.AbstractEventLoop, on_stuck: Callable[[], None]) -> None:
        """`on_stuck` hears that too many threads do not end although they were told to."""
        self._loop = loop
        self._on_stuck = on_stuck
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._threads = 0
        self._busy = 0
        self._stuck = 0
        self._posted: deque[tuple[Callable, tuple]] = deque()
        self._posting = False

    def submit(self, job: Job) -> None:
        """Raises TooManyCalls."""
        if self._busy >= limits.THREADS_MAX + limits.WAITING_CALLS_MAX:
            raise TooManyCalls
        self._busy += 1
        self.prepare()
        self._jobs.put(job)

    def prepare(self) -> None:
        """Starts a thread if somebody would wait for one; before the first call, the first."""
        if self._threads < max(1, min(self._busy, limits.THREADS_MAX)):
            self._threads += 1
            threading.Thread(target=self._work, name="fnlet-call", daemon=True).start()

    def interrupt(self, job: Job) -> None:
        """Its call is over."""
        if not job.interrupt():
            return
        self._threads -= 1
        self._stuck += 1
        if self._stuck > limits.STUCK_THREADS_MAX:
            self._on_stuck()
        elif self._busy > self._threads:
            self.prepare()

    def post(self, function: Callable, *arguments: object) -> None:
        """Has the loop call this. From any thread; one wake-up serves all that came meanwhile."""
        self._posted.append((function, arguments))
        if not self._posting:
            self._posting = True
            self._loop.call_soon_threadsafe(self._take_posts)

    def _take_posts(self) -> None:
        self._posting = False
        posted = self._posted
        try:
            while posted:
                function, arguments = posted.popleft()
                function(*arguments)
        finally:
            if posted:
                self._loop.call_soon(self._take_posts)

    def _work(self) -> None:
        jobs = self._jobs
        try:
            while jobs.get().work():
                self.post(self._on_done)
        except CallCancelled:
            pass
        self.post(self._on_interrupted)

    def _on_done(self) -> None:
        self._busy -= 1

    def _on_interrupted(self) -> None:
        self._busy -= 1
        self._stuck -= 1
