"""Brings the files of a Revision to a Pod, and unpacks them.

I1. What lies under a digest is whole, and has this digest: it gets there by one rename.
I2. Nothing is written outside of its directory: a path that leads out is refused, and links are
    made last, when nothing could be written through them any more. `tarfile` has filters for that
    from Python 3.11.4 on only, and they let more through.
"""

import base64
import hashlib
import io
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPException
from typing import BinaryIO

from .. import limits
from .artifact import Artifact, Files
from .owner import FILES_PATH, OwnerAddress, OwnerRefused


class ArchiveError(Exception):
    """Says which archive could not be had, and why."""


def fetch_artifact(artifact: Artifact, directory: str, owner: OwnerAddress) -> str:
    """The directory of the source, with a link to the packages, somewhere below `directory`; it is
    for a thread, for it waits. Raises ArchiveError."""
    dependencies = artifact.dependencies
    if dependencies is None:
        return fetch_files(artifact.source, directory, owner)
    with ThreadPoolExecutor(1) as other:
        coming = other.submit(fetch_files, dependencies, directory, owner)
        own = fetch_files(artifact.source, directory, owner)
        packages = coming.result()
    link = os.path.join(own, artifact.folder)
    if not os.path.lexists(link):
        os.symlink(packages, link)
    return own


def fetch_files(files: Files, directory: str, owner: OwnerAddress) -> str:
    """The directory with what an archive holds. Raises ArchiveError."""
    place = os.path.join(directory, files.digest)
    if os.path.exists(place):
        return place
    staging = tempfile.mkdtemp(prefix="staging-", dir=directory)
    try:
        if files.inline is None:
            archive: BinaryIO = owner.get(FILES_PATH + files.digest)
        else:
            archive = io.BytesIO(base64.b64decode(files.inline))
        with closing(archive):
            found = unpack(archive, staging)
        if found != files.digest:
            raise ArchiveError(f"found digest {found}")
        os.rename(staging, place)
        return place
    except (ArchiveError, OwnerRefused, OSError, HTTPException, ValueError) as error:
        shutil.rmtree(staging, ignore_errors=True)
        raise ArchiveError(f"Cannot use the archive {files.digest}: {reason_of(error)}") from error


def reason_of(error: BaseException) -> str:
    return str(error) or type(error).__name__


class HashedReader(io.RawIOBase):
    """Reads on, and hashes what it read."""

    def __init__(self, source: BinaryIO) -> None:
        super().__init__()
        self._source = source
        self.hash = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size)
        self.hash.update(data)
        return data


def unpack(archive: BinaryIO, directory: str) -> str:
    """Unpacks a tar archive, compressed by gzip, into an empty directory: files, directories and
    symbolic links. The sha256 of all its bytes, in hex. Raises ArchiveError or OSError."""
    reader = HashedReader(archive)
    links: list[tarfile.TarInfo] = []
    size = 0
    count = 0
    try:
        with tarfile.open(fileobj=reader, mode="r|gz", bufsize=limits.POD_READ_BYTES) as tar:
            for member in members_of(tar):
                size += member.size
                count += 1
                if size > limits.POD_FILES_BYTES_MAX or count > limits.POD_FILES_MAX:
                    raise ArchiveError("it is larger than a Runner unpacks")
                target = place_of(directory, member.name)
                if member.issym():
                    links.append(member)
                elif member.isdir():
                    os.makedirs(target, exist_ok=True)
                else:
                    write_file(tar, member, target)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise ArchiveError(f"it is damaged: {reason_of(error)}") from error
    # What comes after the end counts for the digest, too.
    while reader.read(limits.POD_READ_BYTES):
        pass
    make_links(links, directory)
    return reader.hash.hexdigest()


def members_of(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    while (member := tar.next()) is not None:
        # It would keep a whole tree of packages in memory.
        tar.members.clear()
        is_file = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not member.issparse()
        if not (is_file or member.isdir() or member.issym()):
            raise ArchiveError(f'it holds an entry of type "{member.type.decode("latin-1")}"')
        yield member


def write_file(tar: tarfile.TarFile, member: tarfile.TarInfo, target: str) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    content = tar.extractfile(member)
    mode = 0o555 if member.mode & 0o100 else 0o444
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(target, flags, mode), "wb") as file:
        shutil.copyfileobj(content, file, limits.POD_READ_BYTES)
        if file.tell() != member.size:
            raise ArchiveError(f"it ends {member.size - file.tell()} bytes too early")


def make_links(links: list[tarfile.TarInfo], directory: str) -> None:
    for member in links:
        target = place_of(directory, member.name)
        if os.path.isabs(member.linkname):
            raise ArchiveError(f'a link of it, "{member.name}", leads out of it')
        place_of(directory, os.path.join(os.path.dirname(member.name), member.linkname))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.symlink(member.linkname, target)


def place_of(directory: str, path: str) -> str:
    target = os.path.normpath(os.path.join(directory, path))
    inside = os.path.relpath(target, directory)
    if os.path.isabs(path) or inside == ".." or inside.startswith("../"):
        raise ArchiveError(f'a path of it, "{path}", leads out of it')
    return target
