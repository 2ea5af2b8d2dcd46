"""What functions of Kyma and Kubeless use of Bottle, for those that do not install Bottle itself.

Only that: `request`, `response`, `HTTPResponse`, `HTTPError`, `abort` and `redirect`. Whoever
wants routes and templates puts `bottle` into the requirements, and then that is imported.
"""

from urllib.parse import urljoin

from fnlet_runner.bottle_request import BottleRequest
from fnlet_runner.current import current_call
from fnlet_runner.form_data import FileUpload, FormsDict

__all__ = [
    "FileUpload",
    "FormsDict",
    "HTTPError",
    "HTTPResponse",
    "Response",
    "abort",
    "redirect",
    "request",
    "response",
]

_phrases = {404: "Not Found", 405: "Method Not Allowed", 409: "Conflict"}


class HeaderDict(dict[str, str]):
    """Headers of an answer; names match in any case and keep the one that they came with."""

    def _key(self, name: str) -> str:
        lower = name.lower().replace("_", "-")
        return next((key for key in self if key.lower() == lower), name.replace("_", "-"))

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(self._key(name))

    def __setitem__(self, name: str, value: object) -> None:
        super().__setitem__(self._key(name), str(value))

    def __delitem__(self, name: str) -> None:
        super().__delitem__(self._key(name))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(self._key(name))

    def get(self, name: str, default=None):
        return super().get(self._key(name), default)


class Response:
    """Status, headers and body of an answer."""

    def __init__(self, body: object = "", status: int | str | None = None, headers=None, **more):
        self.body = body
        self.status = 200 if status is None else status
        self.headers = HeaderDict()
        self._cookies: list[str] = []
        given = headers.items() if hasattr(headers, "items") else headers or ()
        for name, value in (*given, *more.items()):
            self.add_header(name, value)

    @property
    def status(self) -> str:
        return self.status_line

    @status.setter
    def status(self, status: int | str) -> None:
        code = int(status.split(" ", 1)[0]) if isinstance(status, str) else int(status)
        if not 100 <= code <= 999:
            raise ValueError("Response status code out of range.")
        self.status_code = code
        self.status_line = status if isinstance(status, str) and " " in status else str(code)

    @property
    def headerlist(self) -> list[tuple[str, str]]:
        cookies = [("Set-Cookie", cookie) for cookie in self._cookies]
        return [*self.headers.items(), *cookies]

    @property
    def content_type(self) -> str:
        return self.headers.get("Content-Type", "text/html; charset=UTF-8")

    @content_type.setter
    def content_type(self, value: str) -> None:
        self.headers["Content-Type"] = value

    def get_header(self, name: str, default=None):
        return self.headers.get(name, default)

    def set_header(self, name: str, value: object) -> None:
        self.headers[name] = value

    def add_header(self, name: str, value: object) -> None:
        if name.lower() == "set-cookie":
            self._cookies.append(str(value))
        else:
            before = self.headers.get(name)
            self.headers[name] = value if before is None else f"{before}, {value}"

    def set_cookie(self, name: str, value: str, **options: object) -> None:
        from http.cookies import SimpleCookie

        cookie: SimpleCookie = SimpleCookie({name: value})
        for key, option in options.items():
            key = key.replace("_", "-")
            if option is not False and option is not None:
                cookie[name][key] = option
        self._cookies.append(cookie[name].OutputString())

    def delete_cookie(self, name: str, **options: object) -> None:
        self.set_cookie(name, "", **{"max_age": -1, **options})


class HTTPResponse(Response, Exception):
    """An answer, returned or raised."""

    def __init__(self, body: object = "", status=None, headers=None, **more) -> None:
        Exception.__init__(self, body)
        Response.__init__(self, body, status, headers, **more)

    def __str__(self) -> str:
        return str(self.body)


class HTTPError(HTTPResponse):
    """An answer that says what is wrong."""

    def __init__(self, status=500, body=None, exception=None, traceback=None, **more) -> None:
        text = _phrases.get(status, "Unknown Error") if body is None else body
        super().__init__(text, status, **more)
        self.exception = exception
        self.traceback = traceback


class LocalRequest:
    """The request of the call that the code now running belongs to."""

    def __getattr__(self, name: str):
        return getattr(_local("bottle.request", BottleRequest), name)

    def __getitem__(self, name: str):
        return _local("bottle.request", BottleRequest)[name]


class LocalResponse:
    """Status and headers for the answer of the call that the code now running belongs to."""

    def __getattr__(self, name: str):
        return getattr(_local("bottle.response", lambda _: Response()), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(_local("bottle.response", lambda _: Response()), name, value)


def _local(key: str, make):
    call = current_call.get()
    if call is None:
        raise RuntimeError("Cannot use the request: found no call, expected code of a handler")
    found = call.view.get(key)
    if found is None:
        found = call.view[key] = make(call)
    return found


request = LocalRequest()
response = LocalResponse()


def abort(code: int = 500, text: str = "Unknown Error.") -> None:
    """Ends the call with an error."""
    raise HTTPError(code, text)


def redirect(url: str, code: int | None = None) -> None:
    """Ends the call with a redirection."""
    status = code or 303
    raise HTTPResponse("", status=status, Location=urljoin(request.url, url))
