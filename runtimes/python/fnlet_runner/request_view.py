"""What the request objects of every style have in common, read from a call when it is asked for."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote

from .form_data import FormsDict, decode_text, parse_form, parse_media_type, parse_query
from .json_text import read_json

if TYPE_CHECKING:
    from .call import Call

_cookie = re.compile(r'\s*([^=;\s]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)')


class RequestHeaders(Mapping[str, str]):
    """Headers by name in any case."""

    def __init__(self, headers: dict[str, str]) -> None:
        self._headers = headers

    def __getitem__(self, name: str) -> str:
        return self._headers[_header_name(name)]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _header_name(name) in self._headers

    def __iter__(self) -> Iterator[str]:
        return ("-".join(word.capitalize() for word in name.split("-")) for name in self._headers)

    def __len__(self) -> int:
        return len(self._headers)

    def __repr__(self) -> str:
        return f"RequestHeaders({self._headers!r})"


def _header_name(name: str) -> str:
    return name.lower().replace("_", "-")


class RequestView:
    """One request. The body is all here: everything answers at once."""

    def __init__(self, call: "Call") -> None:
        self._call = call
        self._head = call.head
        self.method = call.head.method

    @cached_property
    def headers(self) -> RequestHeaders:
        return RequestHeaders(self._head.headers)

    @cached_property
    def path(self) -> str:
        """Decoded, and always with a slash at its start."""
        return "/" + unquote(self._head.path).lstrip("/")

    @property
    def query_string(self) -> str:
        return self._head.query

    @cached_property
    def query(self) -> FormsDict:
        return parse_query(self._head.query)

    @cached_property
    def url(self) -> str:
        """As the caller sees it, as far as the headers tell."""
        headers = self._head.headers
        forwarded = headers.get("x-forwarded-proto", "http").partition(",")[0].strip()
        scheme = "https" if forwarded == "https" else "http"
        host = headers.get("x-forwarded-host", headers.get("host", "localhost"))
        query = self._head.query
        return f"{scheme}://{host}{self._head.path}{'?' if query else ''}{query}"

    @property
    def content_type(self) -> str:
        return self._head.headers.get("content-type", "")

    @cached_property
    def cookies(self) -> FormsDict:
        found = _cookie.findall(self._head.headers.get("cookie", ""))
        return FormsDict([(name, value.strip().strip('"')) for name, value in found])

    @cached_property
    def _form(self) -> tuple[FormsDict, FormsDict]:
        return parse_form(self.content_type, self._call.body)

    @property
    def files(self) -> FormsDict:
        return self._form[1]

    @property
    def remote_addr(self) -> str | None:
        forwarded = self._head.headers.get("x-forwarded-for", "").partition(",")[0].strip()
        return forwarded or None

    def _text(self) -> str:
        return decode_text(self._call.body, parse_media_type(self.content_type)[1])

    def _json(self) -> object:
        return read_json(self._call.body)
