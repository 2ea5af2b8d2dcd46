"""The environ of a call, as PEP 3333 has it."""

import io
import sys
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

if TYPE_CHECKING:
    from .call import Call


def make_environ(call: "Call") -> dict[str, object]:
    head = call.head
    host = head.headers.get("host", "localhost")
    name, _, port = host.rpartition(":") if ":" in host.rpartition("]")[2] else (host, "", "")
    scheme = "https" if head.headers.get("x-forwarded-proto", "").startswith("https") else "http"
    environ: dict[str, object] = {
        "REQUEST_METHOD": head.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(head.path).decode("latin-1"),
        "RAW_URI": head.target,
        "QUERY_STRING": head.query,
        "CONTENT_TYPE": head.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(call.body)) if head.has_body else "",
        "SERVER_NAME": name,
        "SERVER_PORT": port or ("443" if scheme == "https" else "80"),
        "SERVER_PROTOCOL": head.version,
        "REMOTE_ADDR": head.headers.get("x-forwarded-for", "").partition(",")[0].strip(),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scheme,
        "wsgi.input": io.BytesIO(call.body),
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for header, value in head.headers.items():
        # A name with "_" would read as the one with "-" that a proxy has checked.
        if header not in ("content-type", "content-length") and "_" not in header:
            environ["HTTP_" + header.upper().replace("-", "_")] = value
    return environ
