import unittest

from fnlet_runner.service_names import classify_host


class ServiceNamesTest(unittest.TestCase):
    def test_knows_a_service_by_its_whole_name(self):
        for host in (
            "other.default.svc.cluster.local",
            "other.default.svc.cluster.local.",
            "other.default.svc",
            "Other.Default.SVC.cluster.local",
        ):
            self.assertIs(classify_host(host, "shop"), True, host)

    def test_takes_one_or_two_labels_for_a_service_that_there_may_be(self):
        self.assertEqual(classify_host("Other", "shop"), ("shop", "other"))
        self.assertEqual(classify_host("other.default", "shop"), ("default", "other"))

    def test_leaves_all_other_names_to_the_system(self):
        for host in (
            "localhost",
            "127.0.0.1",
            "::1",
            "www.example.com",
            "a.b.c.svc.cluster.local",
            "svc.cluster.local",
            ".default.svc",
            "under_score",
            "",
            "10",
            "1.2",
        ):
            self.assertIs(classify_host(host, "shop"), False, host)


if __name__ == "__main__":
    unittest.main()
