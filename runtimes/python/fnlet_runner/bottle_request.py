"""The request that `(event, context)` handlers find in `event['extensions']['request']`, with the
members of Bottle's that such functions use."""

import io
from functools import cached_property
from typing import TYPE_CHECKING

from .form_data import FormsDict, parse_media_type
from .request_view import RequestView
from .wsgi_environ import make_environ

if TYPE_CHECKING:
    from .call import Call


class BottleRequest(RequestView):
    def __init__(self, call: "Call") -> None:
        super().__init__(call)
        self.url_args: dict[str, str] = {}

    @cached_property
    def body(self) -> io.BytesIO:
        return io.BytesIO(self._call.body)

    @cached_property
    def environ(self) -> dict:
        return make_environ(self._call)

    @property
    def json(self) -> object:
        """The body, parsed; None where its content type is not JSON, or it is empty."""
        media_type, _ = parse_media_type(self.content_type)
        is_json = media_type == "application/json" or media_type.endswith("+json")
        return self._json() if is_json and self._call.body else None

    @property
    def GET(self) -> FormsDict:
        return self.query

    @cached_property
    def forms(self) -> FormsDict:
        return self._form[0]

    @cached_property
    def POST(self) -> FormsDict:
        return FormsDict([*self.forms.allitems(), *self.files.allitems()])

    @cached_property
    def params(self) -> FormsDict:
        return FormsDict([*self.query.allitems(), *self.forms.allitems()])

    def get_header(self, name: str, default: str | None = None) -> str | None:
        return self.headers.get(name, default)

    def get_cookie(self, key: str, default: str | None = None) -> str | None:
        return self.cookies.get(key, default)

    @property
    def COOKIES(self) -> FormsDict:
        return self.cookies

    @property
    def content_length(self) -> int:
        return len(self._call.body)

    @property
    def fullpath(self) -> str:
        return self.path

    @property
    def script_name(self) -> str:
        return "/"

    @property
    def chunked(self) -> bool:
        return self._head.chunked

    @property
    def is_xhr(self) -> bool:
        return self.headers.get("x-requested-with", "").lower() == "xmlhttprequest"

    is_ajax = is_xhr

    @property
    def auth(self) -> tuple[str, str] | None:
        """User and password of basic authentication."""
        import base64
        import binascii

        scheme, _, value = self.headers.get("authorization", "").partition(" ")
        try:
            decoded = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return None
        user, found, password = decoded.partition(":")
        return (user, password) if scheme.lower() == "basic" and found else None

    @property
    def remote_route(self) -> list[str]:
        return [self.remote_addr] if self.remote_addr else []

    def get(self, name: str, default=None):
        return self.environ.get(name, default)

    def __getitem__(self, name: str):
        return self.environ[name]

    def copy(self) -> "BottleRequest":
        return BottleRequest(self._call)

    def __repr__(self) -> str:
        return f"<BottleRequest: {self.method} {self.url}>"
