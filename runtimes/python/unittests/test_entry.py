import unittest

from fnlet_runner.entry import EntryNotFound, decide_entry
from fnlet_runner.handler_style import MissingHandler, decide_style, find_handler


class EntryTest(unittest.TestCase):
    def test_finds_the_file(self):
        for files, handler, expected in (
            (["handler.py", "main.py"], "default", ("handler.py", "default")),
            (["x.py", "requirements.txt"], "go", ("x.py", "go")),
            (["api/users.py", "a.py"], "api/users.get", ("api/users.py", "get")),
            (["api/users.py", "a.py"], "api.users.get", ("api/users.py", "get")),
            (["api/__init__.py", "a.py"], "api.get", ("api/__init__.py", "get")),
            (["my-code.py"], "my-code.main", ("my-code.py", "main")),
        ):
            with self.subTest(handler):
                self.assertEqual(decide_entry(files, handler), expected)

    def test_says_what_is_there(self):
        with self.assertRaisesRegex(EntryNotFound, "found a.py, b.py, expected x.py"):
            decide_entry(["b.py", "a.py"], "x.y")


class App:
    async def __call__(self, scope, receive, send):
        pass


class Callable:
    def __call__(self, request):
        pass


class StyleTest(unittest.TestCase):
    def test_decides_by_shape(self):
        async def asgi(a, b, c):
            pass

        for handler, compatibility, expected in (
            (lambda request, context: 1, None, "request"),
            (lambda: 1, None, "request"),
            (lambda event, context: 1, None, "event"),
            (lambda request, context: 1, "kyma", "event"),
            (lambda: 1, "kyma", "flask"),
            (lambda: 1, "kubeless", "event"),
            (lambda environ, start_response: [], None, "wsgi"),
            (asgi, None, "asgi"),
            (lambda scope, receive, send: 1, None, "asgi"),
            (App(), None, "asgi"),
            (Callable(), None, "request"),
            (lambda *given: 1, "kyma", "event"),
        ):
            with self.subTest(expected, handler=handler):
                self.assertEqual(decide_style("x", handler, compatibility), expected)
        self.assertEqual(decide_style("main", lambda a, b: 1, None), "event")

    def test_finds_by_name(self):
        class Module:
            __name__ = "m"
            app = Callable()

        self.assertEqual(find_handler(Module, "default")[0], "app")
        with self.assertRaises(MissingHandler):
            find_handler(Module, "other")


if __name__ == "__main__":
    unittest.main()
