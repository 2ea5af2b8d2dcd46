"""What a Runner in a Pod is told to specialise itself with; see `PodCommand` of the room
`invocation` for what each field means."""

import json
import re

from ..specialisation import Specialisation

_digest = re.compile("[0-9a-f]{64}")
_folders = ("node_modules", "site-packages")


class Files:
    """An archive, by the digest of its bytes."""

    def __init__(self, value: object) -> None:
        """Raises ValueError."""
        fields = _record(value)
        digest, inline = fields.get("digest"), fields.get("inline")
        # It becomes the name of a directory, and part of a URL.
        if not isinstance(digest, str) or not _digest.fullmatch(digest):
            raise ValueError(f"found digest {digest!r}")
        if inline is not None and not isinstance(inline, str):
            raise ValueError("found an archive that is no text")
        self.digest = digest
        self.inline: str | None = inline


class Artifact:
    """What a Revision consists of."""

    def __init__(self, value: object) -> None:
        """Raises ValueError."""
        fields = _record(value)
        self.source = Files(fields.get("source"))
        self.dependencies: Files | None = None
        self.folder = ""
        if fields.get("dependencies") is not None:
            dependencies = _record(fields["dependencies"])
            self.dependencies = Files(dependencies)
            self.folder = dependencies.get("folder")
            if self.folder not in _folders:
                raise ValueError(f"found folder {self.folder!r}")


class PodCommand:
    """One message to a Runner in a Pod."""

    def __init__(self, line: bytes) -> None:
        """Raises ValueError for what is none."""
        fields = _record(json.loads(line))
        self.type = fields.get("type")
        if self.type == "specialise":
            self.specialisation = _record(fields.get("specialisation"))
            # Where the source is, it decides itself.
            Specialisation({**self.specialisation, "sourceDirectory": "/"})
            self.artifact = Artifact(fields.get("artifact"))
        elif self.type not in ("drain", "rehearse"):
            raise ValueError(f"found type {self.type!r}")


def _record(value: object) -> dict:
    if not isinstance(value, dict):
        raise ValueError(f"found {type(value).__name__}, expected an object")
    return value
