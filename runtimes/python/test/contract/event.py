# The contract's function, `(event, context)` (packages/invocation/test/runner-contract.ts).
import io
import os
import threading

from bottle import HTTPResponse

released = threading.Event()


def wait():
    print("waiting")
    threading.Event().wait()


def hold():
    print("holding")
    released.wait()
    return "held"


def release():
    released.set()
    return "released"


def echo(event, context):
    request = event["extensions"]["request"]
    return {
        "method": request.method,
        "path": request.path,
        "q": request.query.get("q"),
        "header": request.get_header("x-a"),
        "body": event["data"] or "",
        "requestId": context.request_id,
        "traceparent": context.traceparent,
        "variable": os.environ["CONTRACT"],
        "function": context["function-name"],
    }


def main(event, context):
    answers = {
        "text": lambda: "hi ü",
        "nothing": lambda: None,
        "json": lambda: {"a": [1, "ü"]},
        "bytes": lambda: event["data"] or b"",
        "status": lambda: HTTPResponse("short", 418, {"x-a": "b"}),
        "stream": lambda: io.BytesIO(b"ab"),
        "throw": lambda: int("secret"),
        "wait": wait,
        "hold": hold,
        "release": release,
        "trace": lambda: context.traceparent or "none",
        "echo": lambda: echo(event, context),
    }
    return answers[event["extensions"]["request"].path.split("/")[1]]()
