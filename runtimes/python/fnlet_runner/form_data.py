"""Forms and queries: what `application/x-www-form-urlencoded` and `multipart/form-data` hold."""

import io
import re
from collections.abc import Iterator

from . import limits
from .request_head import Refused

_parameter = re.compile(r';\s*([^\s=;]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)')


class FormsDict(dict[str, str]):
    """Names with the value that came last; `getall` has all of them. Its items are attributes
    too, as in Bottle, where a name that is not there is an empty text."""

    def __init__(self, pairs: "list[tuple[str, object]] | tuple" = ()) -> None:
        super().__init__(pairs)
        self._pairs = list(pairs)

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name, "")

    def get(self, key: str, default=None, index: int = -1, type=None):
        """The value at this place of those of the name, made by `type` where one is given; where
        there is none, or it cannot be made, the default."""
        try:
            value = self[key] if index == -1 else self.getall(key)[index]
            return value if type is None else type(value)
        except Exception:
            return default

    def getall(self, name: str) -> list:
        return [value for key, value in self._pairs if key == name]

    getlist = getall

    def getone(self, name: str, default=None):
        return self.get(name, default)

    getunicode = getone

    def allitems(self) -> Iterator:
        return iter(self._pairs)

    iterallitems = allitems

    def decode(self) -> "FormsDict":
        return self


class FileUpload:
    """One file of a form."""

    def __init__(self, name: str, filename: str, content_type: str, content: bytes) -> None:
        self.name = name
        self.raw_filename = filename
        self.content_type = content_type
        self.content_length = len(content)
        self.file = io.BytesIO(content)

    @property
    def filename(self) -> str:
        """The name as the client gave it, made safe: no directories, no control characters."""
        name = self.raw_filename.replace("\\", "/").rpartition("/")[2]
        return re.sub(r"[^\w.\- ]", "", name).strip(". ")[:255] or "empty"

    def read(self, size: int = -1) -> bytes:
        return self.file.read(size)

    def save(self, destination: str, overwrite: bool = False) -> None:
        """Writes it to a path, or into a directory under its own name."""
        import os

        if os.path.isdir(destination):
            destination = os.path.join(destination, self.filename)
        with open(destination, "wb" if overwrite else "xb") as target:
            target.write(self.file.getbuffer())


def parse_media_type(value: str) -> tuple[str, dict[str, str]]:
    """The type in lower case, and its parameters."""
    media_type, _, _ = value.partition(";")
    parameters: dict[str, str] = {}
    for name, content in _parameter.findall(value):
        if content.startswith('"'):
            content = re.sub(r"\\(.)", r"\1", content[1:-1])
        parameters[name.lower()] = content.strip()
    return media_type.strip().lower(), parameters


def parse_query(text: str) -> FormsDict:
    from urllib.parse import parse_qsl

    return FormsDict(parse_qsl(text, keep_blank_values=True))


def decode_text(body: bytes, parameters: dict[str, str]) -> str:
    """By the charset of its content type; UTF-8 where that is none, or unknown."""
    try:
        return body.decode(parameters.get("charset", "utf-8"), "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


def parse_form(content_type: str, body: bytes) -> tuple[FormsDict, FormsDict]:
    """Fields and files. Raises Refused (400) for a multipart body that is none."""
    media_type, parameters = parse_media_type(content_type)
    if media_type == "application/x-www-form-urlencoded":
        return parse_query(decode_text(body, parameters)), FormsDict()
    if media_type != "multipart/form-data":
        return FormsDict(), FormsDict()
    boundary = parameters.get("boundary", "").encode("latin-1", "replace")
    fields: list[tuple[str, object]] = []
    files: list[tuple[str, object]] = []
    for headers, content in _parts(boundary, body):
        _, disposition = parse_media_type(headers.get("content-disposition", ""))
        name, filename = disposition.get("name", ""), disposition.get("filename")
        part_type = headers.get("content-type", "text/plain")
        if filename is None:
            fields.append((name, decode_text(content, parse_media_type(part_type)[1])))
        else:
            files.append((name, FileUpload(name, filename, part_type, content)))
    return FormsDict(fields), FormsDict(files)


# RFC 2046, 5.1.1: a line break before a boundary belongs to the boundary.
def _parts(boundary: bytes, body: bytes) -> Iterator[tuple[dict[str, str], bytes]]:
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary)
    if not boundary or len(parts) < 2 or not parts[-1].startswith(b"--"):
        raise Refused(400, "Cannot read the form: found no boundary at its end")
    if len(parts) > limits.FORM_PARTS_MAX:
        raise Refused(413, "Payload Too Large")
    for part in parts[1:-1]:
        head, found, content = part.partition(b"\r\n\r\n")
        if not found:
            raise Refused(400, "Cannot read the form: found a part without an end of its headers")
        headers: dict[str, str] = {}
        for line in head.decode("utf-8", "replace").split("\r\n")[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        yield headers, content
