# The contract's function, `(request, context)` (packages/invocation/test/runner-contract.ts).
import asyncio
import os

from fnlet import Response

released = asyncio.Event()


async def handler(request, context):
    match request.path.split("/")[1]:
        case "text":
            return "hi ü"
        case "nothing":
            return None
        case "json":
            return {"a": [1, "ü"]}
        case "bytes":
            return request.body
        case "status":
            return Response("short", 418, {"x-a": "b"})
        case "stream":
            return Response(stream(), headers={"content-type": "text/plain"})
        case "throw":
            raise ValueError("secret")
        case "wait":
            print("waiting")
            await asyncio.Event().wait()
        case "hold":
            print("holding")
            await released.wait()
            return "held"
        case "release":
            released.set()
            return "released"
        case "trace":
            return context.traceparent or "none"
        case "echo":
            return {
                "method": request.method,
                "path": request.path,
                "q": request.query.get("q"),
                "header": request.headers["x-a"],
                "body": request.text(),
                "requestId": context.request_id,
                "traceparent": context.traceparent,
                "variable": os.environ["CONTRACT"],
                "function": context.function_name,
            }


class Chunks:
    """Something that is read like a file."""

    def __init__(self):
        self.left = [b"a", b"b"]

    def read(self, size):
        return self.left.pop(0) if self.left else b""


def stream():
    return Chunks()
