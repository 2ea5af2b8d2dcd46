"""A Function in Python: what it needs stands in requirements.txt and is installed once.

    npx fnlet deploy python examples/python
    curl -s 'http://127.0.0.1:8080/default/python?zone=Asia/Tokyo'
    curl -sN http://127.0.0.1:8080/default/python/countdown
"""

import asyncio

import arrow
from fnlet import Context, HttpError, Request


async def handler(request: Request, context: Context):
    if request.path == "/countdown":
        return countdown()
    zone = request.query.get("zone", "UTC")
    try:
        now = arrow.now(zone)
    except (arrow.parser.ParserError, ValueError) as error:
        raise HttpError(400, f"There is no zone {zone}") from error
    context.log.info("asked for the time", zone=zone)
    return {"zone": zone, "offset": now.format("ZZ")}


async def countdown():
    """A generator is answered as server-sent events."""
    for left in range(3, 0, -1):
        yield {"event": "tick", "data": left}
        await asyncio.sleep(0.1)
    yield "lift-off"
