"""Opening a WebSocket: addresses, sockets and the HTTP upgrade (RFC 6455, section 4).

The result is a connected socket on which the next byte is the first byte of the
server's first frame, for `pommego._transport.websocket`.
"""

import base64
import builtins
import contextlib
import hashlib
import http.client
import os
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from pommego.errors import ConnectionError, HandshakeError, TimeoutError

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
_MAX_BODY = 64 << 10
_ADVICE = {
    400: "Do client and server have the same version of pommego?",
    401: "Pass the server's token with token=.",
    403: "The server does not accept this host name or origin.",
    404: "Is this a pommego server, and is the path right?",
    429: "The server has limits for each address; try again later.",
    503: "The server has too many connections or is shutting down; try again later.",
}


@dataclass(frozen=True)
class Address:
    """Where a server listens: at a TCP port, or at a Unix socket, whose host is empty and whose port is 0."""

    host: str = ""
    port: int = 0
    path: str = "/"  # of the HTTP request
    socket_path: str = ""  # of a Unix socket, "@name" for one in Linux's abstract namespace
    secure: bool = False  # whether the server speaks TLS

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``ws[s]://host:port[/path]``, ``host:port`` or ``unix:/path/of/socket``."""
        expected = "expected ws://HOST:PORT, wss://HOST:PORT or unix:/PATH"
        if not isinstance(text, str):
            raise TypeError(f"address is {text!r}, {expected}")
        if text.startswith("unix:"):
            path = text.removeprefix("unix:").removeprefix("//")
            if not path:
                raise ValueError(f"address {text!r} has no path, {expected}")
            return cls(socket_path=path)
        url = urlsplit(text if "://" in text else f"ws://{text}")
        if url.scheme not in ("ws", "wss"):
            raise ValueError(f"address {text!r} has scheme {url.scheme!r}, {expected}")
        if "@" in url.netloc or url.query or url.fragment:
            raise ValueError(f"address {text!r} has a user, a query or a fragment, {expected} (and token=)")
        try:
            port = url.port
        except ValueError as e:
            raise ValueError(f"address {text!r}: {e}, {expected}") from None
        if not url.hostname or not port:
            raise ValueError(f"address {text!r} lacks a host or a port, {expected}")
        return cls(host=url.hostname, port=port, path=url.path or "/", secure=url.scheme == "wss")

    @property
    def local(self) -> bool:
        """Whether the server is certainly on this machine."""
        return bool(self.socket_path) or self.host in ("localhost", "::1") or self.host.startswith("127.")

    @property
    def authority(self) -> str:
        if self.socket_path:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        if self.socket_path:
            slashes = "//" if self.socket_path.startswith("//") else ""  # parse removes them
            return f"unix:{slashes}{self.socket_path}"
        scheme = "wss" if self.secure else "ws"
        return f"{scheme}://{self.authority}{self.path if self.path != '/' else ''}"


@dataclass(frozen=True)
class Certificates:
    """The certificates of client and server for TLS: PEM files, see `pommego.Connection`."""

    ca_file: str | os.PathLike[str] | None = None
    client_cert: str | os.PathLike[str] | None = None

    def context(self, address: Address) -> ssl.SSLContext | None:
        """Return the settings for TLS with a server; None without TLS."""
        if not address.secure:
            if self.ca_file or self.client_cert:
                raise ValueError(f"address is {address}, but ca_file and client_cert need address=wss://...")
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca_file)
            if self.client_cert:
                context.load_cert_chain(self.client_cert)
        except OSError as e:
            raise ValueError(
                f"ca_file={self.ca_file}, client_cert={self.client_cert}: want PEM files ({e})"
            ) from e
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        return context


def open_socket(address: Address, timeout: float, context: ssl.SSLContext | None = None) -> socket.socket:
    """Connect, by TCP with delays switched off or by a Unix socket."""
    with contextlib.ExitStack() as failed:
        try:
            if path := address.socket_path:
                sock = failed.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                sock.settimeout(timeout)
                sock.connect("\0" + path[1:] if path.startswith("@") else path)
            else:
                sock = socket.create_connection((address.host, address.port), timeout)
                failed.enter_context(sock)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                if context:
                    sock = context.wrap_socket(sock, server_hostname=address.host)
        except builtins.TimeoutError:
            advice = "is the address right, and is a firewall in between?"
            raise TimeoutError(f"no answer from {address} in {timeout:g} s: {advice}") from None
        except ssl.SSLCertVerificationError as e:
            advice = f"{e.verify_message}. Pass the file of its authority: Connection(ca_file=...) or, "
            advice += "where no connection= is taken, the environment variable SSL_CERT_FILE."
            raise HandshakeError(f"the certificate of {address} is not trusted: {advice}") from e
        except ssl.SSLError as e:
            reason = f"{e.reason or e}. Is it a ws:// address?"
            raise HandshakeError(f"{address} does not speak TLS 1.3: {reason}") from e
        except OSError as e:
            raise ConnectionError(
                f"cannot connect to {address}: {e.strerror or e}. "
                "Start a server there with `pommego serve`, or leave address out to have one started for you."
            ) from e
        failed.pop_all()
    return sock


def upgrade(
    sock: socket.socket,
    address: Address,
    *,
    subprotocol: str | None,
    token: str | None,
    timeout: float,
) -> None:
    """Ask the HTTP server at the other end of sock to speak WebSocket."""
    key = base64.b64encode(os.urandom(16))
    reader = _Reader(sock, time.monotonic() + timeout)
    try:
        sock.settimeout(timeout)
        sock.sendall(_request(address, key, subprotocol, token))
        answer = http.client.HTTPResponse(reader)
        answer.begin()
    except builtins.TimeoutError:
        raise TimeoutError(f"{address} took the connection but did not answer in {timeout:g} s") from None
    except http.client.HTTPException as e:
        hung_up = isinstance(e, http.client.RemoteDisconnected)
        said = "it sent nothing. Is it a wss:// address?" if hung_up else f"it sent {str(e)[:80]!r}"
        raise HandshakeError(f"{address} does not speak HTTP: {said}") from e
    except OSError as e:
        said = str(e.strerror or e)
        if "CERTIFICATE_REQUIRED" in (getattr(e, "reason", "") or ""):  # of ssl.SSLError
            said += ". The server wants a certificate of this client: pass client_cert="
        raise ConnectionError(f"{address} was lost during the handshake: {said}") from e
    if answer.status != http.client.SWITCHING_PROTOCOLS:
        raise _refusal(answer, reader, address)
    _check(answer.headers, key, subprotocol, address)


def _request(address: Address, key: bytes, subprotocol: str | None, token: str | None) -> bytes:
    lines = [
        f"GET {address.path} HTTP/1.1",
        f"Host: {address.authority}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key.decode()}",
        "Sec-WebSocket-Version: 13",
        *([f"Sec-WebSocket-Protocol: {subprotocol}"] if subprotocol else []),
    ]
    if token:
        if not (isinstance(token, str) and token.isascii() and token.isprintable()):
            raise ValueError("the token must be a string of printable ASCII")
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*lines, "", ""]).encode("ascii")


class _Reader(socket.SocketIO):
    """The file from which `http.client` reads an answer, before a deadline.

    It has no buffer: the bytes after the head are for the WebSocket.
    """

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        super().__init__(sock, "r")
        self._socket, self.deadline = sock, deadline

    def makefile(self, _mode: str) -> Self:
        return self

    def readinto(self, buffer: Any) -> int | None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise builtins.TimeoutError
        self._socket.settimeout(left)
        return super().readinto(buffer)


def _refusal(answer: http.client.HTTPResponse, reader: _Reader, address: Address) -> HandshakeError:
    """Return the error of a refused connection, with as much of the body as arrives within a second."""
    reader.deadline = min(reader.deadline, time.monotonic() + 1.0)
    body = b""
    with contextlib.suppress(OSError, http.client.HTTPException):
        while part := answer.read(_MAX_BODY - len(body)):
            body += part
    text = body.decode("utf-8", "replace")
    said = f": {text.strip()}" if text.strip() else ""
    advice = _ADVICE.get(answer.status, "Is this a pommego server?")
    refused = f"{address} refused the connection with HTTP {answer.status}{said}. {advice}"
    return HandshakeError(refused, answer.status, text)


def _check(headers: http.client.HTTPMessage, key: bytes, subprotocol: str | None, address: Address) -> None:
    accept = base64.b64encode(hashlib.sha1(key + _GUID, usedforsecurity=False).digest()).decode()
    tokens = {t.strip().lower() for t in headers.get("Connection", "").split(",")}
    wrong = None
    if headers.get("Upgrade", "").lower() != "websocket" or "upgrade" not in tokens:
        wrong = "its headers do not confirm the upgrade"
    elif headers.get("Sec-WebSocket-Accept") != accept:
        wrong = "its Sec-WebSocket-Accept does not match the key that was sent"
    elif headers.get("Sec-WebSocket-Extensions"):
        extensions = headers["Sec-WebSocket-Extensions"]
        wrong = f"it selected extensions that were not requested: {extensions!r}"
    elif headers.get("Sec-WebSocket-Protocol") != subprotocol:
        spoken = headers.get("Sec-WebSocket-Protocol", "none")
        wrong = f"it speaks the subprotocol {spoken!r}, this client {subprotocol!r}"
    if wrong:
        raise HandshakeError(
            f"{address} sent an invalid answer to the handshake: {wrong}", http.client.SWITCHING_PROTOCOLS
        )
