"""Says where and why the code of a Function did not load, to a person who wrote that code."""

import os
import traceback
from types import TracebackType

from .failure import describe_error

LOADS = "a module that loads without an error"


def describe_load_failure(error: BaseException, source: str, entry: str) -> dict:
    """The `failure` of the report `failed`; `entry` is relative to `source`."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        file = _relative(error.filename, source)
        found = f"{type(error).__name__}: {error.msg}"
        failure = _failure("SyntaxError", file, found, "valid Python")
        return {**failure, "line": error.lineno, "column": max(1, error.offset or 1)}
    position = _last_own_frame(error.__traceback__, source)
    file = position["file"] if position else entry
    if isinstance(error, ModuleNotFoundError) and error.name:
        found = f'an import of "{error.name}", which is not there'
        expected = f'the file "{error.name}.py" in the source, or it in the requirements'
        failure = _failure("MissingModule", file, found, expected)
    else:
        text = str(error).split("\n", 1)[0]
        found = f"{type(error).__name__}: {text}" if text else type(error).__name__
        failure = _failure("LoadError", file, found, LOADS)
    return {**failure, **position, "stack": describe_error(error)}


def _failure(code: str, file: str, found: str, expected: str) -> dict:
    message = f'Cannot load "{file}": found {found}, expected {expected}'
    return {"code": code, "message": message, "file": file}


def _relative(path: str, source: str) -> str:
    return os.path.relpath(path, source) if path.startswith(source + os.sep) else path


def _last_own_frame(trace: TracebackType | None, source: str) -> dict:
    """Where in the user's own files it happened; dependencies are not the user's."""
    found: dict = {}
    for frame in traceback.extract_tb(trace):
        is_own = frame.filename.startswith(source + os.sep)
        if is_own and "/site-packages/" not in frame.filename[len(source):]:
            found = {"file": _relative(frame.filename, source), "line": frame.lineno}
            if frame.colno is not None:
                found["column"] = frame.colno + 1
    return found
