import asyncio
import errno
import socket
import threading
import unittest
from contextlib import contextmanager

from fnlet_runner import limits
from fnlet_runner.service_names import ServiceNames, read_service_name
from fnlet_runner.stand_ins import StandIns


class ReadServiceNameTest(unittest.TestCase):
    def test_knows_a_service_by_its_whole_name_in_any_case(self):
        for host in (
            "other.default.svc.cluster.local",
            "other.default.svc.cluster.local.",
            "other.default.svc",
            "Other.Default.SVC.cluster.local",
        ):
            self.assertEqual(read_service_name(host, "shop"), ("default", "other"), host)

    def test_knows_a_pod_of_a_service_by_its_whole_name(self):
        for host in ("db-0.db.default.svc.cluster.local", "DB-0.db.default.svc"):
            self.assertEqual(read_service_name(host, "shop"), ("default", "db-0.db"), host)

    def test_takes_one_or_two_labels_for_a_service_that_there_may_be(self):
        self.assertEqual(read_service_name("Other", "shop"), ("shop", "other"))
        self.assertEqual(read_service_name("other.default", "shop"), ("default", "other"))

    def test_leaves_all_other_names_to_the_system(self):
        for host in (
            "localhost",
            "127.0.0.1",
            "::1",
            "www.example.com",
            "a.b.c.d.svc.cluster.local",
            "a.b.c",
            "svc.cluster.local",
            ".default.svc",
            "under_score",
            "",
            "10",
            "1.2",
            "1a.default.svc.cluster.local",
        ):
            self.assertIsNone(read_service_name(host, "shop"), host)


class StandInsTest(unittest.TestCase):
    def test_a_service_keeps_its_address_and_nobody_else_has_it(self):
        stand_ins = StandIns()
        address = stand_ins.of(("default", "other"))
        self.assertTrue(address.startswith("240."))
        self.assertEqual(stand_ins.of(("default", "other")), address)
        self.assertNotEqual(stand_ins.of(("default", "another")), address)
        self.assertEqual(stand_ins.service_at(address), ("default", "other"))
        self.assertIsNone(stand_ins.service_at("240.1.2.3"))
        self.assertIsNone(stand_ins.service_at("127.0.0.1"))

    def test_with_too_many_services_the_first_loses_its_address(self):
        stand_ins = StandIns()
        address = stand_ins.of(("default", "other"))
        for i in range(limits.STAND_INS_MAX):
            stand_ins.of(("n", f"s{i}"))
        self.assertIsNone(stand_ins.service_at(address))


@contextmanager
def serving(answer):
    """A server that sends `answer(what it got)` on each connection; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def run():
            while True:
                try:
                    sock, _ = server.accept()
                except OSError:
                    return
                with sock:
                    sock.sendall(answer(sock.recv(65_536)))

        threading.Thread(target=run, daemon=True).start()
        yield server.getsockname()
        server.shutdown(socket.SHUT_RDWR)


class ConnectTest(unittest.TestCase):
    """With the real sockets of this process, which are put back after each test."""

    def setUp(self):
        names = ("getaddrinfo", "gethostbyname")
        for owner, name in (*((socket, n) for n in names), (socket.socket, "connect")):
            self.addCleanup(setattr, owner, name, getattr(owner, name))
        self.addCleanup(setattr, socket.socket, "connect_ex", socket.socket.connect_ex)
        self.asked = []
        self.answers = {}
        gateway = self.enterContext(serving(self.tell))
        self.names = ServiceNames(gateway, "shop", "127.0.0.1")
        self.store = self.enterContext(serving(lambda got: b"stored " + got))
        self.names.install()

    def tell(self, request):
        path = request.decode().split(" ", 2)[1]
        self.asked.append(path)
        status, body = self.answers.get(path, (404, "{}"))
        return f"HTTP/1.1 {status} Told\r\nConnection: close\r\n\r\n{body}".encode()

    def lead(self, path, *endpoints):
        told = ", ".join(f'{{"host": "{host}", "port": {port}}}' for host, port in endpoints)
        status = 200 if endpoints else 503
        self.answers[path] = (status, f'{{"endpoints": [{told}]}}' if endpoints else "{}")

    def test_a_name_leads_to_an_endpoint_and_is_asked_for_once(self):
        self.lead("/-/routes/shop/store/6379", self.store)
        for _ in range(3):
            with socket.create_connection(("store.shop.svc.cluster.local", 6379)) as sock:
                sock.sendall(b"x")
                self.assertEqual(sock.recv(100), b"stored x")
        self.assertEqual(self.asked, ["/-/routes/shop/store/6379"])

    def test_so_does_the_address_that_it_resolves_to(self):
        self.lead("/-/routes/shop/store", self.store)
        self.lead("/-/routes/shop/store/6379", self.store)
        address = socket.gethostbyname("store")
        with socket.socket() as sock:
            self.assertEqual(sock.connect_ex((address, 6379)), 0)
            sock.sendall(b"x")
            self.assertEqual(sock.recv(100), b"stored x")

    def test_so_does_asyncio(self):
        self.lead("/-/routes/shop/store/6379", self.store)

        async def ask():
            reader, writer = await asyncio.open_connection("store.shop", 6379)
            writer.write(b"x")
            self.assertEqual(await reader.read(), b"stored x")
            writer.close()
            await writer.wait_closed()

        asyncio.run(ask())

    def test_where_nobody_answers_the_connection_is_refused(self):
        self.lead("/-/routes/shop/store/6379")
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("store", 6379))
        with socket.socket() as sock:
            self.assertEqual(sock.connect_ex(("store", 6379)), errno.ECONNREFUSED)

    def test_a_connection_that_fails_is_asked_for_anew(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            gone = closed.getsockname()
        self.lead("/-/routes/shop/store/6379", gone)
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("store", 6379))
        self.lead("/-/routes/shop/store/6379", self.store)
        socket.create_connection(("store", 6379)).close()

    def test_a_function_is_led_to_by_the_gateway(self):
        self.answers["/-/routes/shop/other/80"] = (200, "{}")
        with socket.create_connection(("other", 80)) as sock:
            sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
            self.assertIn(b" 404 ", sock.recv(100))
        self.assertEqual(self.asked, ["/-/routes/shop/other/80", "/"])

    def test_names_that_are_none_are_the_systems(self):
        with self.assertRaises(socket.gaierror):
            socket.create_connection(("no-such-name.invalid.svc.cluster.local", 80))
        self.assertEqual(self.asked, ["/-/routes/invalid/no-such-name/80"])


if __name__ == "__main__":
    unittest.main()
