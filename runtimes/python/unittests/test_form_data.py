import unittest

from fnlet_runner.form_data import parse_form, parse_media_type, parse_query
from fnlet_runner.request_head import Refused

MULTIPART = (
    b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n'
    b'--b\r\nContent-Disposition: form-data; name="f"; filename="../x y;.txt"\r\n'
    b"Content-Type: text/csv\r\n\r\n\r\n1,2\r\n\r\n--b--\r\n"
)


class FormDataTest(unittest.TestCase):
    def test_reads_media_types(self):
        self.assertEqual(
            parse_media_type('Text/HTML; Charset="a;\\"b"; x=y'),
            ("text/html", {"charset": 'a;"b', "x": "y"}),
        )

    def test_keeps_all_values_of_a_name(self):
        query = parse_query("a=1&a=2&b=&c=%C3%A9+x")
        self.assertEqual((query["a"], query.getall("a")), ("2", ["1", "2"]))
        self.assertEqual((query.b, query.c, query.missing), ("", "é x", ""))

    def test_gets_values_as_bottle_does(self):
        query = parse_query("a=1&a=2&n=x")
        self.assertEqual((query.get(key="a"), query.get("a", index=0)), ("2", "1"))
        self.assertEqual((query.get("a", type=int), query.get("n", 7, type=int)), (2, 7))
        self.assertEqual((query.get("b"), query.get("a", "none", 5)), (None, "none"))

    def test_reads_fields_and_files(self):
        fields, files = parse_form("multipart/form-data; boundary=b", MULTIPART)
        self.assertEqual(fields, {"a": "one"})
        upload = files["f"]
        self.assertEqual((upload.filename, upload.content_type), ("x y.txt", "text/csv"))
        self.assertEqual(upload.file.read(), b"\r\n1,2\r\n")

    def test_refuses_a_form_without_an_end(self):
        for body in (b"", MULTIPART[:-4], b"--b\r\nno end\r\n--b--"):
            with self.subTest(body), self.assertRaises(Refused):
                parse_form("multipart/form-data; boundary=b", body)


if __name__ == "__main__":
    unittest.main()
