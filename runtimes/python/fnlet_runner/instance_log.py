"""Owns stdout and stderr: what is printed becomes whole lines, marked with the call they are of.

I1. A line reaches its descriptor once, complete, in the order its first character came in.
I2. A write returns once the operating system has the bytes; only the unfinished last line of a
    call waits, until the call or the process ends.
"""

import io
import os
import select
import sys
import threading

from . import limits
from .current import current_call

REQUEST_ID_CHARACTERS = 8

_lock = threading.RLock()


class LineBuffer:
    """Turns writes of any shape into whole lines."""

    __slots__ = ("_fd", "_prefix", "_rest", "_cut")

    def __init__(self, fd: int, prefix: str) -> None:
        self._fd = fd
        self._prefix = prefix
        self._rest = ""
        self._cut = False

    def write(self, text: str) -> None:
        if self._cut:
            # `print` writes a line and its end apart; the line was ended for it meanwhile.
            self._cut = False
            text = text.removeprefix("\n")
            if not text:
                return
        whole, line_break, rest = text.rpartition("\n")
        if not line_break:
            self._rest += text
            if len(self._rest) > limits.LOG_LINE_CHARACTERS_MAX:
                self.flush()
            return
        whole, self._rest = self._rest + whole, rest
        self._emit(whole)

    def flush(self) -> None:
        """Writes what waits for its line's end."""
        rest, self._rest = self._rest, ""
        if rest:
            self._emit(rest)
            self._cut = True

    def _emit(self, text: str) -> None:
        longest = limits.LOG_LINE_CHARACTERS_MAX
        lines: list[str] = []
        for line in text.split("\n"):
            for start in range(0, max(len(line), 1), longest):
                lines.append(f"{self._prefix}{line[start:start + longest]}\n")
        write_fully(self._fd, "".join(lines).encode("utf-8", "backslashreplace"))


class CallLog:
    """What one call writes; its two streams never mix within a line."""

    __slots__ = ("_prefix", "_buffers", "_ended")

    def __init__(self, request_id: str = "") -> None:
        self._prefix = f"[{request_id[:REQUEST_ID_CHARACTERS]}] " if request_id else ""
        self._buffers: tuple[LineBuffer, LineBuffer] | None = None
        self._ended = False

    def write(self, fd: int, text: str) -> None:
        with _lock:
            if self._buffers is None:
                # Most calls write nothing, and a call must cost as little as possible.
                self._buffers = (LineBuffer(1, self._prefix), LineBuffer(2, self._prefix))
            buffer = self._buffers[fd - 1]
            buffer.write(text)
            if self._ended:
                buffer.flush()

    def flush(self) -> None:
        if self._buffers is None:
            return
        with _lock:
            for buffer in self._buffers:
                buffer.flush()

    def end(self) -> None:
        """The call is answered: what it still writes does not wait for its line's end."""
        self._ended = True
        self.flush()


outside = CallLog()


def say(text: str, log: CallLog | None = None) -> None:
    """Writes a line of the Runner's own to stderr."""
    (log or current_log()).write(2, f"{text}\n")


def current_log() -> CallLog:
    call = current_call.get()
    return outside if call is None else call.log


class LogStream(io.TextIOBase):
    """Stands for sys.stdout or sys.stderr."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, fd: int) -> None:
        super().__init__()
        self._fd = fd
        self.buffer = LogBytes(fd)
        self.name = "<stdout>" if fd == 1 else "<stderr>"
        self.mode = "w"

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        current_log().write(self._fd, text)
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._fd

    def isatty(self) -> bool:
        return False


class LogBytes(io.RawIOBase):
    """What `sys.stdout.buffer` stands for."""

    def __init__(self, fd: int) -> None:
        super().__init__()
        self._fd = fd

    def write(self, data) -> int:
        content = bytes(data)
        current_log().write(self._fd, content.decode("utf-8", "backslashreplace"))
        return len(content)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._fd


def install_log() -> None:
    """Takes the place of sys.stdout and sys.stderr, which print and logging write to."""
    sys.stdout = sys.__stdout__ = LogStream(1)
    sys.stderr = sys.__stderr__ = LogStream(2)


def write_fully(fd: int, data: bytes) -> None:
    """Returns once the operating system has it all; a pipe that nobody reads is waited for."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view):]
        except BlockingIOError:
            select.select([], [fd], [])
        except OSError:
            # Whoever kept the log is gone, and so will be this process.
            return
