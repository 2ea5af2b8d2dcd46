"""What the caller gets to see of a failed call. The stack never leaves the log."""

import traceback

from .workers import CallCancelled

# Of files whose frames mean nothing to a user: the Runner's, and those of the import system.
_not_theirs = (__file__.rpartition("/")[0] + "/", "<frozen importlib")


class HttpError(Exception):
    """Raise it to answer with a status of 400 … 599 and a text."""

    def __init__(self, status: int, message: str = "") -> None:
        if not 400 <= status <= 599:
            raise ValueError(f"Cannot make an HttpError: found {status}, expected 400 … 599")
        super().__init__(message)
        self.status = status


def decide_failure(error: BaseException, compatibility: str | None) -> tuple[int, str]:
    """Status and text for a handler that raised.

    Only an HttpError chooses them. Errors of HTTP clients have a `status` too, but it is that of
    somebody else's answer.
    """
    if isinstance(error, HttpError):
        return error.status, str(error)
    return 500, "Internal server error" if compatibility == "kyma" else "Internal Server Error"


def describe_error(error: BaseException) -> str:
    """The stack as the user knows it: without the Runner's own frames, with causes."""
    if isinstance(error, CallCancelled):
        return "The handler was told to stop"
    described = traceback.TracebackException.from_exception(error)
    seen = [described]
    while seen:
        part = seen.pop()
        kept = [frame for frame in part.stack if not frame.filename.startswith(_not_theirs)]
        part.stack = traceback.StackSummary.from_list(kept)
        seen.extend(other for other in (part.__cause__, part.__context__) if other is not None)
    return "".join(described.format()).rstrip("\n")
