"""Servers that speak TLS, and clients that know whom they talk to."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pommego
import pommego.llm
from compare import assert_same, frozen
from pommego import suites
from test_looking_on import asked, credentials
from wiring import wired

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificates")

TOKEN = "0123456789abcdef" * 2


def openssl(folder: Path, *arguments: str) -> None:
    done = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def sign(folder: Path, name: str, authority: str, names: str) -> None:
    """Make name.pem and name.key, signed by an authority."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    request = ["req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}"]
    openssl(folder, *request)
    (folder / f"{name}.ext").write_text(names)
    by = ["-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-CAcreateserial"]
    files = ["-in", f"{name}.csr", "-out", f"{name}.pem", "-extfile", f"{name}.ext"]
    openssl(folder, "x509", "-req", "-days", "2", *by, *files)
    (folder / f"{name}-both.pem").write_bytes(
        (folder / f"{name}.pem").read_bytes() + (folder / f"{name}.key").read_bytes()
    )


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for authority in ("ca", "other"):
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        files = ["-keyout", f"{authority}.key", "-out", f"{authority}.pem", "-subj", f"/CN={authority}"]
        openssl(folder, "req", "-x509", *key, *files)
    sign(folder, "server", "ca", "subjectAltName=IP:127.0.0.1,DNS:localhost")
    sign(folder, "elsewhere", "ca", "subjectAltName=DNS:elsewhere.example")
    sign(folder, "client", "ca", "extendedKeyUsage=clientAuth")
    sign(folder, "stranger", "other", "extendedKeyUsage=clientAuth")
    return folder


@contextlib.contextmanager
def serving(binary: Path, keys: Path, *options: str, name: str = "server") -> Iterator[str]:
    tls = ["--tls-cert", str(keys / f"{name}.pem"), "--tls-key", str(keys / f"{name}.key")]
    with subprocess.Popen(
        [binary, "serve", "--listen", "127.0.0.1:0", "--exit-on-stdin-close", *tls, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"POMMEGO_TOKEN": TOKEN},
        text=True,
    ) as process:
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.stdin.close()
            process.wait(timeout=20)


@pytest.fixture(scope="module")
def address(binary: Path, keys: Path) -> Iterator[str]:
    with serving(binary, keys, "--openenv") as address:
        assert address.startswith("wss://127.0.0.1:")
        yield address


def played(envs: pommego.PommegoVectorEnv) -> list[Any]:
    with envs:
        return [frozen(envs.reset(seed=1)), *(frozen(envs.step(np.full(64, k % 6))) for k in range(30))]


@pytest.mark.parametrize("shared", [True, False])
def test_the_same_games(address: str, keys: Path, vec: Any, shared: bool) -> None:
    """The batches are of 600 kB: many records, each with many reads."""
    options = wired(token=TOKEN, ca_file=keys / "ca.pem", shared_memory=shared)
    got = played(pommego.make_vec("PommeTeamCompetition-v0", 16, address=address, **options))
    want = played(vec("PommeTeamCompetition-v0", 16, shared_memory=False))
    for step, pair in enumerate(zip(got, want, strict=True)):
        assert_same(*pair, f"step {step}: ")


def test_other_calls(address: str, keys: Path) -> None:
    where = wired(address=address.replace("127.0.0.1", "localhost"), token=TOKEN, ca_file=keys / "ca.pem")
    assert "OneVsOne-v0" in pommego.catalog(**where)
    with pommego.make("OneVsOne-v0", **where) as env:
        env.reset(seed=0)
    done = pommego.evaluate(
        lambda obs, info: np.zeros(len(info["seat"]), int), "OneVsOne-v0", games=2, **where
    )
    assert len(done.lengths) == 2


def test_authorities_of_the_environment(address: str, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are for those that take no connection=."""
    env = pommego.llm.Environment(address=address.replace("wss", "https"), token=TOKEN)
    with pytest.raises(pommego.HandshakeError, match="is not trusted.*environment variable SSL_CERT_FILE"):
        env.reset()
    monkeypatch.setenv("SSL_CERT_FILE", str(keys / "ca.pem"))
    assert "Legal: " in env.reset()


def test_a_result_is_checked(
    address: str, keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = wired(address=address, token=TOKEN, ca_file=keys / "ca.pem")
    suite = replace(suites.SUITES["duel-2027"], opponents=("static",), games=2)
    monkeypatch.setitem(suites.SUITES, suite.name, suite)
    done = pommego.evaluate(lambda obs, info: np.zeros(len(info["seat"]), int), suite=suite.name, **where)
    done.save(tmp_path / "result")
    assert pommego.check_result(tmp_path / "result", **where).score == done.score
    with pytest.raises(pommego.HandshakeError, match="is not trusted"):
        pommego.check_result(tmp_path / "result", address=address, token=TOKEN)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({}, pommego.HandshakeError, "is not trusted.*ca_file="),
        ({"ca_file": "other.pem"}, pommego.HandshakeError, "is not trusted.*ca_file="),
        ({"ca_file": "ca.key"}, ValueError, "want PEM files"),
        ({"ca_file": "none.pem"}, ValueError, "want PEM files"),
        ({"ca_file": "ca.pem", "client_cert": "client.pem"}, ValueError, "want PEM files"),
    ],
)
def test_who_is_not_trusted(
    address: str, keys: Path, options: dict[str, str], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        files = {name: keys / file for name, file in options.items()}
        pommego.catalog(address=address, token=TOKEN, **wired(**files))


def test_mistaken_addresses(address: str, keys: Path, server: pommego.Server, binary: Path) -> None:
    ca = wired(ca_file=keys / "ca.pem")
    with pytest.raises(pommego.ConnectionError, match="wss://"):
        pommego.catalog(address=address.replace("wss:", "ws:"), token=TOKEN)
    plain = server.address if server.address.startswith("ws://") else pytest.skip("no TCP")
    with pytest.raises(pommego.HandshakeError, match="does not speak TLS.*ws://"):
        pommego.catalog(address=plain.replace("ws:", "wss:"), token=server.token, **ca)
    with pytest.raises(ValueError, match="need address=wss://"):
        pommego.catalog(address=plain, token=server.token, **ca)
    with pytest.raises(ValueError, match="address=wss://"):
        pommego.catalog(**ca)
    with (
        serving(binary, keys, name="elsewhere") as other,
        pytest.raises(pommego.HandshakeError, match="IP address mismatch"),
    ):
        pommego.catalog(address=other, token=TOKEN, **ca)


def test_a_certificate_of_ones_own(binary: Path, keys: Path) -> None:
    """As `docs/remote.md` makes one."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "365"]
    names = ["-subj", "/CN=me.example", "-addext", "subjectAltName=IP:127.0.0.1"]
    openssl(keys, "req", "-x509", *key, "-keyout", "own.key", "-out", "own.pem", *names)
    with serving(binary, keys, name="own") as address:
        assert pommego.catalog(address=address, token=TOKEN, **wired(ca_file=keys / "own.pem"))


def test_client_certificates(binary: Path, keys: Path) -> None:
    with serving(binary, keys, "--tls-client-ca", str(keys / "ca.pem")) as address:
        where = {"address": address, "token": TOKEN, "ca_file": keys / "ca.pem"}
        pommego.catalog(**wired(**where, client_cert=keys / "client-both.pem"))
        with pytest.raises(pommego.ConnectionError, match="client_cert="):
            pommego.catalog(**wired(**where))
        with pytest.raises(pommego.ConnectionError, match="lost during the handshake"):
            pommego.catalog(**wired(**where, client_cert=keys / "stranger-both.pem"))


def test_a_page_of_an_environment_there(binary: Path, keys: Path) -> None:
    """`web=True` trusts the same authorities, and shows the same certificate, as the environment."""
    with serving(binary, keys, "--tls-client-ca", str(keys / "ca.pem")) as address:
        where = wired(token=TOKEN, ca_file=keys / "ca.pem", client_cert=keys / "client-both.pem")
        with pommego.make_vec("OneVsOne-v0", 2, address=address, web=True, **where) as envs:
            envs.reset(seed=0)
            about = asked(envs.web_address, "", credentials(envs.web_address)[1])
            assert (about["env"], about["games"]) == ("OneVsOne-v0", 2)


class InterruptedError(Exception):
    """What the handler of a signal raises."""


def test_interrupts(address: str, keys: Path) -> None:
    """An interrupt while a batch arrives loses nothing, or closes the connection and says so."""

    def interrupt(*_: object) -> None:
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, interrupt)
    options = wired(token=TOKEN, ca_file=keys / "ca.pem", shared_memory=False)
    actions = np.zeros(256, int)
    interrupted = 0
    try:
        for k in range(30):
            with pommego.make_vec("PommeTeamCompetition-v0", 64, address=address, **options) as envs:
                want, _ = envs.reset(seed=1)
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.003 + k * 2e-4)
                    while True:
                        envs.step(actions)
                except InterruptedError:
                    interrupted += 1
                with contextlib.suppress(pommego.ClosedError):
                    obs, _ = envs.reset(seed=1)
                    assert_same(obs, want)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted == 30
