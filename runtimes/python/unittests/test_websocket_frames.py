import random
import struct
import unittest

from fnlet_runner.request_head import parse_head
from fnlet_runner.websocket_frames import (
    BINARY,
    CLOSE,
    PING,
    TEXT,
    FrameError,
    FrameReader,
    format_close,
    format_frame,
    read_close,
    read_text,
)
from fnlet_runner.websocket_handshake import decide_refusal, format_acceptance


def frame(opcode, payload=b"", *, final=True, key=b"abcd", rsv=0, length=None):
    """As a client sends it."""
    first = (0x80 if final else 0) | rsv | opcode
    size = len(payload) if length is None else length
    if size < 126:
        head = bytes((first, 0x80 | size))
    elif size < 65_536:
        head = bytes((first, 0x80 | 126)) + struct.pack("!H", size)
    else:
        head = bytes((first, 0x80 | 127)) + struct.pack("!Q", size)
    return head + key + bytes(octet ^ key[i % 4] for i, octet in enumerate(payload))


class FrameReaderTest(unittest.TestCase):
    def test_reads_messages_of_all_sizes(self):
        for size in (0, 1, 125, 126, 127, 65_535, 65_536, 70_001):
            payload = random.Random(size).randbytes(size)
            reader = FrameReader(100_000)
            self.assertEqual(reader.feed(frame(BINARY, payload)), [(BINARY, payload)], size)

    def test_joins_what_was_cut_and_lets_control_frames_between(self):
        octets = b"".join(
            (
                frame(TEXT, b"a", final=False),
                frame(PING, b"p"),
                frame(0, b"", final=False),
                frame(0, b"b"),
                frame(BINARY, b"c"),
            )
        )
        expected = [(PING, b"p"), (TEXT, b"ab"), (BINARY, b"c")]
        self.assertEqual(FrameReader(10).feed(octets), expected)
        for step in range(1, 8):
            reader = FrameReader(10)
            found = []
            for at in range(0, len(octets), step):
                found += reader.feed(octets[at:at + step])
            self.assertEqual(found, expected, step)

    def test_refuses_what_is_no_frame(self):
        for octets, code in (
            (b"\x81\x01a", 1002),
            (frame(TEXT, b"a", rsv=0x40), 1002),
            (frame(3), 1002),
            (frame(11), 1002),
            (frame(0, b"a"), 1002),
            (frame(TEXT, b"a", final=False) + frame(TEXT, b"b"), 1002),
            (frame(PING, b"a", final=False), 1002),
            (frame(PING, b"a" * 126), 1002),
            (b"\x82\xfe\x00\x05", 1002),
            (b"\x82\xff" + struct.pack("!Q", 100), 1002),
        ):
            with self.subTest(octets), self.assertRaises(FrameError) as raised:
                FrameReader(1_000).feed(octets)
            self.assertEqual(raised.exception.code, code)

    def test_refuses_what_is_too_large_before_it_is_there(self):
        for octets in (
            frame(BINARY, length=11),
            frame(BINARY, length=2**62),
            frame(BINARY, b"123456", final=False) + frame(0, length=5),
        ):
            with self.subTest(octets), self.assertRaises(FrameError) as raised:
                FrameReader(10).feed(octets)
            self.assertEqual(raised.exception.code, 1009)

    def test_never_raises_anything_else(self):
        chance = random.Random(7)
        for _ in range(3_000):
            octets = bytearray(frame(TEXT, b"abc", final=chance.random() < 0.5) + frame(0, b"d"))
            for _ in range(chance.randrange(4)):
                octets[chance.randrange(len(octets))] = chance.randrange(256)
            reader = FrameReader(100)
            try:
                for kind, payload in reader.feed(bytes(octets)):
                    if kind == TEXT:
                        read_text(payload)
                    elif kind == CLOSE:
                        read_close(payload)
            except FrameError:
                pass


class CloseTest(unittest.TestCase):
    def test_what_was_written_is_read(self):
        for code, reason in ((1000, ""), (1011, "gone"), (4999, "€" * 200)):
            payload = format_close(code, reason)[2:]
            self.assertLessEqual(len(payload), 125)
            found, text = read_close(payload)
            self.assertEqual(found, code)
            self.assertTrue(reason.startswith(text))
        self.assertEqual(read_close(b""), (1005, ""))

    def test_codes_that_no_frame_may_carry_are_refused(self):
        for code in (0, 999, 1004, 1005, 1006, 1015, 2999, 5000):
            with self.assertRaises(ValueError):
                format_close(code)
            with self.assertRaises(FrameError):
                read_close(struct.pack("!H", code))
        with self.assertRaises(FrameError):
            read_close(b"\x03")
        with self.assertRaises(FrameError) as raised:
            read_close(b"\x03\xe8\xff")
        self.assertEqual(raised.exception.code, 1007)

    def test_frames_of_all_sizes_are_written(self):
        for size in (0, 125, 126, 65_535, 65_536):
            written = format_frame(BINARY, b"x" * size)
            self.assertEqual(written[-size:] if size else b"", b"x" * size)
            self.assertEqual(written[1] & 0x80, 0)
            self.assertEqual(len(written) - size, 2 if size < 126 else 4 if size < 65_536 else 10)


class HandshakeTest(unittest.TestCase):
    def head(self, line="GET / HTTP/1.1", **fields):
        wanted = {
            "Host": "x",
            "Upgrade": "WebSocket",
            "Connection": "keep-alive, Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        } | {name.replace("_", "-"): value for name, value in fields.items()}
        lines = [line, *(f"{name}: {value}" for name, value in wanted.items() if value)]
        return parse_head("\r\n".join(lines).encode())

    def test_accepts_as_the_rfc_does(self):
        head = self.head()
        self.assertTrue(head.wants_websocket)
        self.assertIsNone(decide_refusal(head))
        answer = format_acceptance(head, [("x-a", "b")]).decode()
        self.assertIn("\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", answer)
        self.assertTrue(answer.endswith("\r\nx-a: b\r\n\r\n"))

    def test_refuses_what_is_no_handshake(self):
        for head, status in (
            (self.head("POST / HTTP/1.1"), 400),
            (self.head("GET / HTTP/1.0"), 400),
            (self.head(Content_Length="3"), 400),
            (self.head(Sec_WebSocket_Version="8"), 426),
            (self.head(Sec_WebSocket_Version=None), 426),
            (self.head(Sec_WebSocket_Key=None), 400),
            (self.head(Sec_WebSocket_Key="dGhl"), 400),
            (self.head(Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==, x"), 400),
        ):
            self.assertEqual(decide_refusal(head)[0], status)

    def test_knows_what_asks_for_none(self):
        self.assertFalse(self.head(Upgrade="h2c").wants_websocket)
        self.assertFalse(self.head(Connection="keep-alive").wants_websocket)


if __name__ == "__main__":
    unittest.main()
