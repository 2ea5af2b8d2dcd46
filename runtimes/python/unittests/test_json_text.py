import unittest

from fnlet_runner.json_text import read_json, write_json
from fnlet_runner.request_head import Refused


class JsonTextTest(unittest.TestCase):
    def test_writes_compact_text(self):
        self.assertEqual(write_json({"a": [1, None, "é"]}), '{"a":[1,null,"é"]}'.encode())

    def test_writes_a_value_that_is_there_twice(self):
        once = [1]
        self.assertEqual(write_json([once, once]), b"[[1],[1]]")

    def test_says_of_a_value_within_itself_what_it_is(self):
        value: list = []
        value.append({"a": value})
        with self.assertRaisesRegex(ValueError, "Circular reference detected"):
            write_json(value)

    def test_refuses_what_has_no_end_but_its_depth(self):
        value: list = []
        for _ in range(200_000):
            value = [value]
        with self.assertRaises(RecursionError):
            write_json(value)

    def test_refuses_what_is_no_json(self):
        for value in (float("nan"), float("inf")):
            self.assertRaises(ValueError, write_json, value)
        self.assertRaises(TypeError, write_json, {1, 2})
        self.assertRaises(Refused, read_json, b"{")


if __name__ == "__main__":
    unittest.main()
