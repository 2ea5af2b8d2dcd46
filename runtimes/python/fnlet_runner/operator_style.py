"""Operators as handlers: the calls of a hub are answered, and no others.

docs/operator-contract.md tells of them.
"""

import inspect
from collections.abc import Awaitable
from datetime import datetime
from typing import TYPE_CHECKING

from fnlet.operator import Operator, Request, Terminal, UndeclaredKind

from .direct_style import DirectFunction
from .json_text import read_json, write_json
from .request_head import Refused
from .response_head import format_head
from .result import JSON, Result

if TYPE_CHECKING:
    from .call import Call

HEADER = "fnlet-operator-contract"
CONTRACT = 1


class OperatorFunction(DirectFunction):
    """A function that is an operator; it works in threads, and on the loop where it is async."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        super().__init__(self._serve, lambda call: (call,), "own")

    def _serve(self, call: "Call") -> Result | Awaitable[Result]:
        operator = self._operator
        if call.head.headers.get(HEADER) is None:
            raise Refused(415, _not_of_hub(operator))
        question = read_question(read_json(call.body))
        what = question["what"]
        if what == "map":
            return _json(_mapped(operator, question))
        left = time_left(question)
        call.server.workers.post(_watch_deadline, call, what, left)
        try:
            request = Request(operator, question, lambda: call.over)
            answer = operator.ask(what, request)
            if inspect.isawaitable(answer):
                return self._finish(call, request, answer)
            return _json(_checked(answer, request))
        except Exception as error:
            return _failed(call, error)

    def _result(self, call: "Call", value: object) -> Result:
        # What answers is no value of the user's: it is a result already.
        assert isinstance(value, Result)
        return value

    async def _finish(self, call: "Call", request: Request, answer: Awaitable) -> Result:
        try:
            return _json(_checked(await answer, request))
        except Exception as error:
            return _failed(call, error)


def read_question(value: object) -> dict:
    """A call of a hub. Raises Refused (400) for what is none."""
    if not isinstance(value, dict):
        raise Refused(400, f"Cannot read the call: found {value!r}, expected an object")
    contract = value.get("contract")
    if contract != CONTRACT:
        text = f"Cannot read the call: found contract {contract}, expected {CONTRACT}"
        raise Refused(400, text)
    what = value.get("what")
    if what not in ("reconcile", "cleanup", "map"):
        raise _broken("what", what, "reconcile, cleanup or map")
    if what == "map":
        return value
    object = value.get("object")
    metadata = object.get("metadata") if isinstance(object, dict) else None
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        raise _broken("object", object, "an object with apiVersion, kind and metadata")
    for field in ("run", "now", "deadline"):
        if not isinstance(value.get(field), str):
            raise _broken(field, value.get(field), "text")
    return value


def _broken(field: str, found: object, expected: str) -> Refused:
    text = "nothing" if found is None else write_json(found).decode()[:80]
    return Refused(400, f'Cannot read "{field}" of the call: found {text}, expected {expected}')


def time_left(question: dict) -> float:
    """Seconds until nobody waits for the answer any more, by the caller's own clock."""
    try:
        now, deadline = (datetime.fromisoformat(question[key]) for key in ("now", "deadline"))
        return max(0.0, (deadline - now).total_seconds())
    except (ValueError, TypeError) as error:
        raise _broken("deadline", question["deadline"], "a time as RFC 3339 has it") from error


def _mapped(operator: Operator, question: dict) -> dict:
    index, watches = question.get("watch"), operator.watches
    is_there = isinstance(index, int) and 0 <= index < len(watches)
    if not is_there or isinstance(watches[index].mapping, str):
        found = f'found no watch {index} of operator "{operator.name}" with a function'
        raise Refused(400, f"Cannot map objects: {found}, expected one of its {len(watches)}")
    return {"keys": [watches[index].keys_of(one) for one in question.get("objects") or []]}


def _checked(answer: object, request: Request) -> dict:
    if answer is None:
        return {}
    if isinstance(answer, dict):
        is_blind = answer.get("children") and not answer.get("require")
        if is_blind and not request.children_read:
            return {**answer, "childrenRead": False}
        return answer
    raise TypeError(f"Cannot answer: found {type(answer).__name__}, expected a dict or None")


def _json(answer: dict) -> Result:
    return Result(200, [("content-type", JSON)], write_json(answer))


def _failed(call: "Call", error: Exception) -> Result:
    call.server.workers.post(call.note_failure, error)
    reason = "ReconcileFailed"
    for kind in (Terminal, UndeclaredKind):
        if isinstance(error, kind):
            reason = kind.__name__
    note = {"reason": reason, "message": str(error)}
    if isinstance(error, Terminal):
        note["terminal"] = True
    return _json({"error": note})


def _watch_deadline(call: "Call", what: str, left: float) -> None:
    """On the loop: a function that does not end must not hold up whoever asked."""
    if not call.over:
        call.server.loop.call_later(left, _late, call, what, left)


def _late(call: "Call", what: str, left: float) -> None:
    if call.over:
        return
    error = TimeoutError(f"Cannot {what}: found no answer after {round(left * 1000)} ms")
    call.note_failure(error)
    note = {"reason": "DeadlineExceeded", "message": str(error)}
    body = write_json({"error": note})
    call.answer(format_head(200, (("content-type", JSON),)), body, 200)
    call.cancel()


def _not_of_hub(operator: Operator) -> str:
    found = f"found no header {HEADER}, expected the call of a hub"
    kind = operator.kind.kind
    remedy = f'"{operator.name}" is an operator: it runs when an object of the kind {kind} changes'
    return f"Cannot answer the request: {found}. {remedy}"
