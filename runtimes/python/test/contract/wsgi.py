# The contract's function as a WSGI app (packages/invocation/test/runner-contract.ts).
import json
import os
import threading
from urllib.parse import parse_qs

from fnlet_runner.current import current_call

released = threading.Event()


def app(environ, start_response):
    call = current_call.get()
    trace = call.trace and call.trace.traceparent
    status, content_type, body = "200 OK", "text/plain", [b""]
    match environ["PATH_INFO"].split("/")[1]:
        case "text":
            body = ["hi ü".encode()]
        case "json":
            content_type, body = "application/json", ['{"a":[1,"ü"]}'.encode()]
        case "bytes":
            content_type, body = "application/octet-stream", [environ["wsgi.input"].read()]
        case "status":
            status, body = "418 Teapot", [b"short"]
        case "stream":
            body = iter([b"a", b"b"])
        case "throw":
            raise ValueError("secret")
        case "wait":
            print("waiting")
            threading.Event().wait()
        case "hold":
            print("holding")
            released.wait()
            body = [b"held"]
        case "release":
            released.set()
        case "trace":
            body = [(trace or "none").encode()]
        case "echo":
            query = parse_qs(environ["QUERY_STRING"])
            echo = {
                "method": environ["REQUEST_METHOD"],
                "path": environ["PATH_INFO"],
                "q": query["q"][0] if "q" in query else None,
                "header": environ["HTTP_X_A"],
                "body": environ["wsgi.input"].read().decode(),
                "requestId": call.request_id,
                "traceparent": trace,
                "variable": os.environ["CONTRACT"],
                "function": call.server.specialisation.function,
            }
            content_type, body = "application/json", [json.dumps(echo).encode()]
    start_response(status, [("content-type", content_type), ("x-a", "b")])
    return body
