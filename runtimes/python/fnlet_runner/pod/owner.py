"""Where a Runner in a Pod reaches its owner, and how it shows who it is."""

import asyncio
import http.client
import socket
import ssl
from urllib.parse import urlsplit

from .. import limits

# See `pod-channel.ts` of the room `invocation`.
PROTOCOL = "fnlet-runner"
CHANNEL_PATH = "/runner"
FILES_PATH = "/files/"


class OwnerRefused(Exception):
    """The owner answered, but not as hoped."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the owner answered {status}")


class OwnerAddress:
    """`url` is an origin such as `https://fnlet-controller.fnlet-system.svc:8443`; `token_file` is
    where the kubelet keeps the token of this Pod up to date; `authority_file` holds the
    certificate of the authority that signed the owner's."""

    def __init__(self, url: str, token_file: str, authority_file: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "https" or parts.hostname is None:
            raise SystemExit(f"Cannot start the Runner: found --owner {url}, expected https://…")
        self._host = parts.hostname
        self._port = parts.port or 443
        self._authority = parts.netloc
        self._token_file = token_file
        self._authority_file = authority_file

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connects for good. Raises OSError, EOFError, ValueError or LimitOverrunError
        when there is nobody, and OwnerRefused when there is nobody who takes it."""
        head = (
            f"GET {CHANNEL_PATH} HTTP/1.1\r\nHost: {self._authority}\r\n"
            f"Connection: Upgrade\r\nUpgrade: {PROTOCOL}\r\n"
            f"Authorization: {self._authorization()}\r\n\r\n"
        )
        async with asyncio.timeout(limits.OWNER_SILENCE_SECONDS):
            reader, writer = await asyncio.open_connection(
                self._host, self._port, ssl=self._trust(), limit=limits.CONTROL_LINE_BYTES_MAX
            )
            try:
                writer.write(head.encode("latin-1"))
                status = read_status(await reader.readuntil(b"\r\n\r\n"))
                if status != 101:
                    raise OwnerRefused(status)
                notice_silence(writer.get_extra_info("socket"))
                return reader, writer
            except BaseException:
                writer.transport.abort()
                raise

    def get(self, path: str) -> http.client.HTTPResponse:
        """Fetches what is there; it is for a thread, for it waits. Raises OSError, OwnerRefused or
        HTTPException."""
        connection = http.client.HTTPSConnection(
            self._host, self._port, timeout=limits.OWNER_SILENCE_SECONDS, context=self._trust()
        )
        # The response has the connection, and closes it.
        headers = {"Authorization": self._authorization(), "Connection": "close"}
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            response.close()
            raise OwnerRefused(response.status)
        return response

    # Read each time: the kubelet renews both.

    def _authorization(self) -> str:
        with open(self._token_file, encoding="latin-1") as file:
            return f"Bearer {file.read().strip()}"

    def _trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self._authority_file)


def read_status(head: bytes) -> int:
    """The status of an answer. Raises ValueError for what is no answer of HTTP/1."""
    version, _, rest = head.partition(b" ")
    if not version.startswith(b"HTTP/1.") or not rest[:3].isdigit():
        raise ValueError("found no HTTP where the owner should be")
    return int(rest[:3])


def notice_silence(connection: socket.socket) -> None:
    """An owner that vanished without a word is noticed: its machine may have."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL):
            connection.setsockopt(socket.IPPROTO_TCP, option, limits.KEEP_ALIVE_PROBE_SECONDS)
        count = limits.KEEP_ALIVE_PROBES
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, count)
