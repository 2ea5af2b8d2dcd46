import unittest

from fnlet_runner.request_head import Refused, parse_head


def parse(*lines: str):
    return parse_head("\r\n".join(lines).encode("latin-1"))


class RequestHeadTest(unittest.TestCase):
    def test_reads_line_and_headers(self):
        head = parse("POST /a%20b?c=d HTTP/1.1", "Host: x", "X-One: 1", "x-one:2", "Cookie: a=b")
        self.assertEqual((head.method, head.path, head.query), ("POST", "/a%20b", "c=d"))
        self.assertEqual(head.headers["x-one"], "1, 2")
        self.assertEqual(head.fields[1:3], [("x-one", "1"), ("x-one", "2")])
        self.assertTrue(head.keeps_alive)
        self.assertFalse(head.has_body)

    def test_reads_an_absolute_target(self):
        head = parse("GET http://h:1/p?q HTTP/1.1", "Host: h")
        self.assertEqual((head.path, head.query), ("/p", "q"))

    def test_keeps_old_connections_only_on_request(self):
        self.assertFalse(parse("GET / HTTP/1.0").keeps_alive)
        self.assertTrue(parse("GET / HTTP/1.0", "Connection: Keep-Alive").keeps_alive)
        self.assertFalse(parse("GET / HTTP/1.1", "Host: x", "Connection: x, Close").keeps_alive)

    def test_refuses_what_can_be_read_in_two_ways(self):
        host = "Host: x"
        refused = {
            "two lengths": ["Content-Length: 1", "Content-Length: 1"],
            "a list of lengths": ["Content-Length: 1, 1"],
            "a signed length": ["Content-Length: +1"],
            "a length of other digits": ["Content-Length: ²"],
            "length and coding": ["Content-Length: 1", "Transfer-Encoding: chunked"],
            "two codings": ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
            "a coding of its own": ["Transfer-Encoding: xchunked"],
            "codings in a row": ["Transfer-Encoding: gzip, chunked"],
            "a folded line": ["A: b", " c: d"],
            "a space before the colon": ["Content-Length : 1"],
            "a line without a colon": ["nothing"],
            "an empty name": [": x"],
            "a lone line feed": ["A: b\nContent-Length: 1"],
            "a lone carriage return": ["A: b\rContent-Length: 1"],
            "a NUL": ["A: b\0"],
            "two hosts": ["Host: y"],
        }
        for name, lines in refused.items():
            with self.subTest(name), self.assertRaises(Refused) as caught:
                parse("POST / HTTP/1.1", host, *lines)
            self.assertIn(caught.exception.status, (400, 501))

    def test_refuses_lines_that_are_no_request(self):
        lines = ("GET /", "GET  / HTTP/1.1", "G(T / HTTP/1.1", "GET / HTTP/2", "GET / http/1.1")
        for line in lines:
            with self.subTest(line), self.assertRaises(Refused):
                parse(line, "Host: x")
        with self.assertRaises(Refused):
            parse("GET / HTTP/1.1")
        with self.assertRaises(Refused):
            parse("POST / HTTP/1.0", "Transfer-Encoding: chunked")


if __name__ == "__main__":
    unittest.main()
