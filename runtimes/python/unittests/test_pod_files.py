import gzip
import hashlib
import io
import json
import os
import stat
import tarfile
import tempfile
import unittest

from fnlet_runner import limits
from fnlet_runner.pod.artifact import PodCommand
from fnlet_runner.pod.files import ArchiveError, unpack


class Trickle(io.RawIOBase):
    """Gives no more than so many bytes at a time."""

    def __init__(self, data: bytes, most: int):
        self._data = io.BytesIO(data)
        self._most = most

    def read(self, size=-1):
        return self._data.read(self._most if size < 0 else min(size, self._most))


def entry(name, content=b"", **fields):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def archive(*entries):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as tar:
        for info, content in entries:
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


class UnpackTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = scratch.name
        self.to = os.path.join(self.root, "to")
        os.mkdir(self.to)

    def read(self, name):
        with open(os.path.join(self.to, name), "rb") as file:
            return file.read()

    def test_gives_back_what_was_packed(self):
        deep = "/".join(letter * 90 for letter in "abc") + "/ä.txt"
        packed = archive(
            entry("./empty", type=tarfile.DIRTYPE, mode=0o755),
            entry("./empty/link", type=tarfile.SYMTYPE, linkname="../program"),
            entry(deep, b"long way"),
            entry("./none"),
            entry("./block", b"x" * 512),
            entry("./program", b"#!/bin/sh\n", mode=0o755),
        )
        # What follows the end of the archive counts for the digest, too.
        whole = packed + gzip.compress(b"\0" * 10_000)
        for most in (1, 511, 100_000):
            with self.subTest(most), tempfile.TemporaryDirectory(dir=self.root) as self.to:
                digest = unpack(Trickle(whole, most), self.to)
                self.assertEqual(digest, hashlib.sha256(whole).hexdigest())
                self.assertEqual(self.read(deep), b"long way")
                self.assertEqual(self.read("none"), b"")
                self.assertEqual(self.read("block"), b"x" * 512)
                self.assertEqual(self.read("empty/link"), b"#!/bin/sh\n")
                mode = os.stat(os.path.join(self.to, "program")).st_mode
                self.assertEqual(stat.S_IMODE(mode) & 0o100, 0o100)

    def test_refuses_what_leads_out_and_what_is_broken(self):
        outside = os.path.join(self.root, "outside")
        os.mkdir(outside)
        through = (
            entry("door", type=tarfile.SYMTYPE, linkname="inner"),
            entry("inner", type=tarfile.DIRTYPE, mode=0o755),
            entry("door/evil", b"evil"),
        )
        whole = archive(entry("a", b"a" * 100_000))
        for name, packed, expected in (
            ("a path above", archive(entry("../evil", b"evil")), "leads out of it"),
            ("an absolute path", archive(entry(f"{outside}/evil", b"evil")), "leads out of it"),
            (
                "an absolute link",
                archive(entry("link", type=tarfile.SYMTYPE, linkname=outside)),
                "leads out of it",
            ),
            (
                "a link above",
                archive(entry("a/link", type=tarfile.SYMTYPE, linkname="../../outside")),
                "leads out of it",
            ),
            (
                "a hard link",
                archive(entry("link", type=tarfile.LNKTYPE, linkname="/etc/passwd")),
                'an entry of type "1"',
            ),
            ("a device", archive(entry("null", type=tarfile.CHRTYPE)), 'an entry of type "3"'),
            ("a link to write through", archive(*through), "File exists"),
            ("a file twice", archive(entry("a", b"1"), entry("a", b"2")), "File exists"),
            ("half of it", whole[: len(whole) // 2], "damaged|too early"),
            ("nothing", b"", "damaged"),
            ("no archive", b"x" * 2_000, "damaged"),
            ("no archive in it", gzip.compress(b"x" * 2_000), "damaged"),
        ):
            with self.subTest(name), tempfile.TemporaryDirectory(dir=self.root) as to:
                with self.assertRaisesRegex((ArchiveError, OSError), expected):
                    unpack(io.BytesIO(packed), to)
        self.assertEqual(os.listdir(outside), [])

    def test_refuses_what_is_too_large(self):
        self.addCleanup(setattr, limits, "POD_FILES_BYTES_MAX", limits.POD_FILES_BYTES_MAX)
        limits.POD_FILES_BYTES_MAX = 1_000
        with self.assertRaisesRegex(ArchiveError, "larger than a Runner unpacks"):
            unpack(io.BytesIO(archive(entry("a", b"0" * 600), entry("b", b"0" * 600))), self.to)
        self.assertEqual(os.listdir(self.to), ["a"])


class PodCommandTest(unittest.TestCase):
    specialisation = {
        **{"namespace": "demo", "function": "f", "revision": "f-1", "instance": "a"},
        **{"runtime": "python3.11", "handler": "default", "env": {}},
        "limits": {"timeoutMs": 1, "bodyBytesMax": 1, "drainMs": 1},
    }

    def parse(self, **fields):
        command = {"type": "specialise", "specialisation": self.specialisation, **fields}
        return PodCommand(json.dumps(command).encode())

    def test_reads_what_is_one(self):
        dependencies = {"digest": "b" * 64, "folder": "site-packages"}
        source = {"digest": "a" * 64, "inline": "AA=="}
        artifact = self.parse(artifact={"source": source, "dependencies": dependencies}).artifact
        self.assertEqual((artifact.source.digest, artifact.source.inline), ("a" * 64, "AA=="))
        self.assertEqual(artifact.dependencies.digest, "b" * 64)
        self.assertEqual(artifact.folder, "site-packages")
        self.assertEqual(PodCommand(b'{"type": "drain"}').type, "drain")

    def test_refuses_what_is_none(self):
        source = {"digest": "a" * 64}
        for artifact in (
            None,
            {},
            {"source": {"digest": "../" + "a" * 61}},
            {"source": {"digest": "A" * 64}},
            {"source": {"digest": "a" * 64 + "\n"}},
            {"source": {**source, "inline": 1}},
            {"source": source, "dependencies": {**source, "folder": ".."}},
            {"source": source, "dependencies": {**source, "folder": []}},
        ):
            with self.subTest(artifact), self.assertRaises(ValueError):
                self.parse(artifact=artifact)
        with self.assertRaises(ValueError):
            self.parse(artifact={"source": source}, specialisation={})
        for line in (b"", b"[]", b"{", b'{"type": "warm"}', b"\xff"):
            with self.subTest(line), self.assertRaises(ValueError):
                PodCommand(line)
