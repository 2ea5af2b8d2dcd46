import random
import unittest

from fnlet_runner.request_body import BodyReader
from fnlet_runner.request_head import Refused


def chunked(*chunks: bytes, trailer: bytes = b"") -> bytes:
    parts = [b"%x;note=1\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks]
    return b"".join(parts) + b"0\r\n" + trailer + b"\r\n"


class BodyReaderTest(unittest.TestCase):
    def test_returns_what_comes_after_the_body(self):
        reader = BodyReader(4, False, 10)
        self.assertEqual(reader.feed(b"ab"), b"")
        self.assertEqual(reader.feed(b"cdGET"), b"GET")
        self.assertEqual(reader.body(), b"abcd")

    def test_reads_chunks_however_they_are_cut(self):
        sent = chunked(b"hello", b"\r\n0\r\n\r\n", b"x" * 300, trailer=b"A: b\r\n") + b"NEXT"
        for seed in range(200):
            chance = random.Random(seed)
            reader, rest, left = BodyReader(0, True, 1000), b"", sent
            while left:
                count = chance.randint(1, 40)
                rest += reader.feed(left[:count]) if not reader.done else left[:count]
                left = left[count:]
            self.assertEqual((reader.done, rest), (True, b"NEXT"), f"seed {seed}")
            self.assertEqual(reader.body(), b"hello\r\n0\r\n\r\n" + b"x" * 300)

    def test_refuses_chunks_that_are_none(self):
        for sent in (b"g\r\n", b"-1\r\n", b"\r\n", b"0x5\r\n", b"5\nhello", b"3\r\nhello\r\n",
                     b"f" * 16 + b"\r\n", b"1" * 5000, b" 5\r\nhello\r\n"):
            with self.subTest(sent[:20]), self.assertRaises(Refused) as caught:
                BodyReader(0, True, 1 << 70).feed(sent)
            self.assertEqual(caught.exception.status, 400)

    def test_refuses_once_and_then_reads_to_the_end(self):
        for reader, sent, count in (
            (BodyReader(6, False, 3), b"abcdef", 4),
            (BodyReader(0, True, 3), chunked(b"abcdef"), 10),
        ):
            with self.assertRaises(Refused) as caught:
                reader.feed(sent[:count])
            self.assertEqual(caught.exception.status, 413)
            reader.discard(1000)
            reader.feed(sent[count:])
            self.assertTrue(reader.done)
            self.assertEqual(reader.body(), b"")

    def test_bounds_trailers(self):
        with self.assertRaises(Refused):
            BodyReader(0, True, 9).feed(chunked(trailer=b"A: b\r\n" * 5000))


if __name__ == "__main__":
    unittest.main()
