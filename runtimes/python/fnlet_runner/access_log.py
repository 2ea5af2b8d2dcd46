"""One line a call, in Apache's combined format, where the function's owner wants it."""

import time
from typing import TYPE_CHECKING

from .response_head import MONTHS
from .specialisation import Specialisation

if TYPE_CHECKING:
    from .request_head import RequestHead


def wants_access_log(given: Specialisation) -> bool:
    """As their own runtimes: Kubeless's always, Kyma's when told."""
    if given.compatibility == "kubeless":
        return True
    if given.compatibility is None:
        return given.env.get("FNLET_ACCESS_LOG") == "true"
    names = ("KYMA_INTERNAL_LOGGER_ENABLED", "SERVER_INTERNAL_LOGGER")
    return any(given.env.get(name, "").lower() not in ("", "0", "false") for name in names)


def format_access(head: "RequestHead", status: int, size: int) -> str:
    """`status` 0 stands for an answer that nobody got."""
    headers = head.headers
    client = headers.get("x-forwarded-for", "").partition(",")[0].strip() or "-"
    now = time.gmtime()
    date = f"{now.tm_mday:02}/{MONTHS[now.tm_mon - 1]}/{now.tm_year}"
    stamp = f"{date}:{now.tm_hour:02}:{now.tm_min:02}:{now.tm_sec:02} +0000"
    referrer, agent = headers.get("referer", "-"), headers.get("user-agent", "-")
    line = f"{_quoted(head.method)} {_quoted(head.target)} {head.version}"
    return (
        f'{_quoted(client)} - - [{stamp}] "{line}" {status or "-"} {size} '
        f'"{_quoted(referrer)}" "{_quoted(agent)}"\n'
    )


# What a client sends must not begin a line, nor end a field.
def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"') if text.isprintable() else ascii(text)
