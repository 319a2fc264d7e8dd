"""The embedded server: a pommego process that ends with this one.

The server watches its standard input, a pipe whose other end only this process holds.
However this process ends, by `close`, garbage collection, an exception or kill -9, the
pipe closes and the server stops. It runs in its own session, so that Ctrl-C in a
terminal interrupts only Python.
"""

import contextlib
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NoReturn, Self

from pommego._core import checks
from pommego.errors import BinaryNotFoundError, ServerDiedError, ServerStartError, on_failure

# Seconds a server gets to shut down before it is killed: to end agents' programs that hang takes it one.
_GRACE = 3.0

_TAIL = 2048  # bytes of its output in error messages
_SEARCHED = 8 << 20  # bytes of the output that are searched for the beginning of a fault

# How the message of a Go program that ends by a fault begins. After it and an empty line comes the stack of
# each goroutine, which can be megabytes.
_FAULT = re.compile(r"(?m)^(runtime(/cgo)?: .*\n)*(fatal error: |panic: |SIG[A-Z]+: |unexpected fault ).*")
_MEMORY = re.compile(r"out of memory|cannot allocate memory|failed to (reserve|create new OS)|pthread_create")
# The lines of the log about agents outside the server.
_FAILED = re.compile(r'msg="an agent outside the server failed, and plays stop" (.*)')


def cores() -> int:
    """Return how many cores this process, and a server that it starts, may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def find_binary(*, search_path: bool = True) -> Path:
    """Find the pommego binary.

    The places are the environment variable POMMEGO_BINARY, the package, the repository
    that this package was installed from (editable), and PATH.

    Args:
        search_path: whether to look in PATH, where this package's own console
            script has the same name.

    Raises:
        BinaryNotFoundError: it is in none of these places.
    """
    if named := os.environ.get("POMMEGO_BINARY"):
        if shutil.which(path := Path(named).absolute()):
            return path
        raise BinaryNotFoundError(f"POMMEGO_BINARY is {named!r}, which is not a program that can be run")
    package = Path(__file__).resolve().parent
    name = "pommego.exe" if os.name == "nt" else "pommego"
    places = [package / "bin" / name, *(up / "bin" / name for up in package.parents[2:3])]
    for place in places:
        if shutil.which(place):
            return place
    if search_path and (found := shutil.which("pommego")):
        with Path(found).open("rb") as file:
            if file.read(2) != b"#!":  # a console script such as our own would call this function
                return Path(found).absolute()
    looked = "".join(f"\n  {place}" for place in places)
    raise BinaryNotFoundError(
        "there is no pommego binary to start. Run `make build` in the repository, or name one in the "
        f"environment variable POMMEGO_BINARY. Looked in PATH and in{looked}"
    )


class Server:
    """A running server.

    `make_vec` starts its own. Start one explicitly to share it between several
    environments:

        with pommego.Server() as server:
            where = {"address": server.address, "token": server.token}
            a = pommego.make_vec("PommeFFACompetition-v0", num_envs=64, **where)
            b = pommego.make_vec("PommeTeamCompetition-v0", num_envs=64, **where)

    Args:
        transport: "tcp", on a free port of the loopback interface, or "unix",
            a socket that only this user can open. Both accept only clients that have the token.
        binary: the program's path; None: the one that `find_binary` finds.
        timeout: seconds it may take to start.
        allow_agents: the exact names of agents outside the server that clients may have as opponents
            ("exec:COMMAND", "library:PATH", "http://host:port", "llm:ADDRESS,model=NAME") and of agents with
            omniscient=1, which see the whole state. "*" allows all: then every client that has
            the token can run any command.
        openenv: whether it also has seats for language models, as ``pommego serve --openenv``.

    Raises:
        BinaryNotFoundError: there is no program to start.
        ServerStartError: it did not start; the message ends with what it printed.

    Attributes:
        address: for `make_vec`.
        token: for `make_vec`.
        pid: its process id.
    """

    def __init__(
        self,
        *,
        transport: str = "tcp",
        binary: str | os.PathLike[str] | None = None,
        timeout: float = 20.0,
        allow_agents: Sequence[str] = (),
        openenv: bool = False,
    ) -> None:
        if os.name != "posix":
            raise ServerStartError(
                "pommego.Server works on Linux and macOS only: "
                "run `pommego serve` yourself and pass its address="
            )
        if transport not in ("tcp", "unix"):
            raise ValueError(f'transport is {transport!r}, expected "tcp" or "unix"')
        program = Path(binary).absolute() if binary else find_binary()
        self.token = secrets.token_urlsafe(32)
        # The server makes the directory, and removes it also when this process is killed.
        try:
            place = tempfile.gettempdir()
            self._output = tempfile.TemporaryFile()  # noqa: SIM115, it has no name, so no file is left behind
        except OSError as e:
            raise ServerStartError(f"no temporary file can be made, TMPDIR names their folder: {e}") from e
        if len(os.fsencode(place)) > 71:  # the path of a Unix socket has 103 bytes at most
            place = "/tmp"  # nosec B108  # the name cannot be guessed
        self._directory = f"{place}/pommego-{secrets.token_hex(8)}" if transport == "unix" else ""
        listen = f"unix:{self._directory}/socket" if self._directory else "127.0.0.1:0"
        more = [*(f"--allow-agents={agent}" for agent in allow_agents), *(["--openenv"] if openenv else [])]
        try:
            self._process, ready = _spawn(program, listen, self.token, self._output, more)
        except OSError as e:
            self._output.close()
            raise ServerStartError(f"{program} cannot be run: {e}") from e
        self.pid = self._process.pid
        self._finalizer = weakref.finalize(self, stop, self._process, self._output, self._directory)
        _servers.add(self)
        try:
            with on_failure(self.close):
                self.address = self._read_address(ready, timeout)
        finally:
            os.close(ready)

    def _read_address(self, ready: int, timeout: float) -> str:
        """Read the line with the server's address, which the server writes in one piece."""
        poll = select.poll()  # select takes no descriptors from 1024 on
        poll.register(ready, select.POLLIN)
        if not poll.poll(checks.timeout(timeout) * 1000):
            late = f"the server (process {self.pid}) printed no address within {timeout:g} s"
            raise ServerStartError(late + _quoted(_last_words(self._output)))
        line = os.fsdecode(os.read(ready, 4096))
        if not line:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1)
            raise ServerStartError(f"the server did not start. {_death(self._process, self._output)}")
        address = line.removesuffix("\n")
        if address.startswith(("ws://", "unix:")):
            return address
        raise ServerStartError(f"the server printed {line!r}, expected its address")

    @property
    def running(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    def death(self) -> ServerDiedError | None:
        """Return the error that says how the server ended; None while it runs and after `close`."""
        if not self._finalizer.alive:
            return None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.5)  # its connections close just before it exits
        return _death(self._process, self._output) if not self.running else None

    def forget_address(self) -> None:
        """Remove the Unix socket's file: open connections stay, and no new client can connect."""
        shutil.rmtree(self._directory, ignore_errors=True)

    def close(self) -> None:
        """Stop the server and wait until it has exited. Idempotent."""
        self._finalizer()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Server cannot be pickled or copied: give the other process its address and token")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def forget(self) -> None:
        """In a forked child: close the pipe, so that only the parent keeps the server alive."""
        if self._finalizer.detach():
            self._process.stdin.close()
            self._output.close()
            self._process.returncode = 0  # not our child: only the parent can wait for it


def _spawn(
    program: Path, listen: str, token: str, output: IO[bytes], more: Sequence[str]
) -> tuple[subprocess.Popen[bytes], int]:
    """Start the process; returns it, and where to read its address.

    The token goes through a pipe: other users can see arguments and environment.
    """
    ready, tell = os.pipe()
    arguments = ["--listen", listen, "--ready-fd", str(tell), "--token-file=-", "--exit-on-stdin-close"]
    try:
        with on_failure(lambda: os.close(ready)):
            process = subprocess.Popen(
                [program, "serve", *arguments, *more],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                pass_fds=[tell],
                start_new_session=True,
            )
    finally:
        os.close(tell)
    with contextlib.suppress(OSError):  # it has ended, and its output says why
        process.stdin.write(f"{token}\n".encode())
        process.stdin.flush()
    return process, ready


def _death(process: subprocess.Popen[bytes], output: IO[bytes]) -> ServerDiedError:
    code, words, advice = process.poll(), _last_words(output), ""
    how = f"was killed by signal {-code}" if code and code < 0 else f"exited with status {code}"
    if starved := bool(_MEMORY.search(words)):
        how = f"ran out of memory (exit status {code})"
        advice = "\nAsk for fewer games or a smaller observation, or give it more memory."
    elif code == -signal.SIGKILL:
        advice = ". The system does that, too, when memory runs out: then ask for fewer games."
    text = f"The embedded server (process {process.pid}) {how}{_quoted(words)}{advice}"
    return ServerDiedError(text, code or 0, words, out_of_memory=starved)


def _last_words(output: IO[bytes]) -> str:
    """Return the last output of the process: for a fault its beginning, otherwise the last lines."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(size - _SEARCHED, 0))
    text = output.read().decode(errors="replace")
    fault = _FAULT.search(text)
    if fault:
        return text[fault.start() :].partition("\n\n")[0][:_TAIL].strip()
    return text[-_TAIL:].strip()


def _quoted(words: str) -> str:
    return f"; it printed last:\n{words}" if words else " and printed nothing"


def failures(output: IO[bytes]) -> list[str]:
    """Return the log's messages about agents outside the server that failed, each once."""
    output.seek(0)
    found = _FAILED.findall(output.read(_SEARCHED).decode(errors="replace"))
    return [text.replace("\\n", "\n") for text in dict.fromkeys(found)]


def stop(process: subprocess.Popen[bytes], output: IO[bytes], directory: str = "") -> None:
    """Close a process's pipe and wait, kill it if it does not exit, and remove its files."""
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_GRACE)
    finally:
        if process.poll() is None:  # it makes a long step, or hangs
            process.kill()
            process.wait()
        output.close()
        if directory:
            shutil.rmtree(directory, ignore_errors=True)


_servers: weakref.WeakSet[Server] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: [server.forget() for server in list(_servers)])
