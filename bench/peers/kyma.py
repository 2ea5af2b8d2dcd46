"""The shape of Kyma's Python runtime: one process, Bottle on cheroot with 50 threads, and a thread
of its own for every call, joined with the call's timeout."""

import queue
import sys
import threading

directory, port = sys.argv[1:]
sys.path.insert(0, directory)

import bottle  # noqa: E402
from cheroot import wsgi  # noqa: E402


def main(event, context):
    data = event["data"]
    return "Hello World!" if data is None else data


application = bottle.Bottle()
context = {"function-name": "bench", "timeout": 180, "runtime": "python312"}


@application.route("/<:re:.*>", method=["GET", "POST", "PATCH", "DELETE"])
def handle():
    request = bottle.request
    data = request.json if request.content_type == "application/json" else None
    event = {"data": data, "extensions": {"request": request}}
    results = queue.Queue()

    def call():
        try:
            results.put(main(event, context))
        except Exception as error:  # The answer tells of it.
            results.put(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join(180)
    result = results.get()
    if isinstance(result, Exception):
        return bottle.HTTPError(500, "Internal server error", result)
    return result


bottle.BaseRequest.MEMFILE_MAX = 100 * 1024 * 1024
server = wsgi.Server(("127.0.0.1", int(port)), application, numthreads=50, request_queue_size=100)
server.start()
