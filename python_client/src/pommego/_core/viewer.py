"""The page that shows running environments: `pommego view ADDRESS`, in a process of its own."""

import json
import os
import subprocess
import threading
import time
import weakref
import webbrowser
from collections.abc import Callable
from itertools import takewhile
from typing import Any

import numpy as np

from pommego._transport.handshake import Certificates
from pommego.errors import ServerStartError
from pommego.server import find_binary, stop

_PATIENCE = 20.0  # seconds it may take to start
_PAUSE = 0.1  # seconds between two messages to viewers
_UNSEEN = 1.0  # seconds between two checks for viewers, while there are none


class Viewer:
    """Serves the page of one environment, whose key it has, until it is closed or this process ends.

    Attributes:
        address: of the page, with the token and the key, both of which it needs.
    """

    def __init__(self, address: str, token: str | None, key: str, own: Certificates) -> None:
        command = [find_binary(), "view", address, "--json", "--exit-on-stdin-close"]
        files = (("--ca-file", own.ca_file), ("--client-cert", own.client_cert))
        command += [text for flag, path in files if path for text in (flag, os.fspath(path))]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"POMMEGO_TOKEN": token or "", "POMMEGO_VIEW_KEY": key},
            start_new_session=True,
        )
        self._finalizer = weakref.finalize(self, stop, self._process, self._process.stdout)
        late = threading.Timer(_PATIENCE, self._process.kill)
        late.start()
        try:
            lines = takewhile(b"}\n".__ne__, self._process.stdout)  # of one object
            self.address: str = json.loads(b"".join(lines) + b"}")["address"]
        except ValueError as e:
            self.close()
            raise ServerStartError(f"pommego view {address} printed no address within {_PATIENCE:g} s") from e
        finally:
            late.cancel()
        self._due, self._opened = 0.0, False

    def show(self, call: Callable[..., bool], rows: int, probabilities: Any, values: Any) -> bool:
        now = time.monotonic()
        if now < self._due:
            return False
        shown = {}
        if probabilities is not None:
            shown["probabilities"] = np.ascontiguousarray(probabilities, np.float32).reshape(rows, -1)
        if values is not None:
            shown["values"] = np.ascontiguousarray(values, np.float32).reshape(rows)
        watched = call(**shown)
        self._due = now + (_PAUSE if watched else _UNSEEN)
        return watched

    def open(self) -> None:
        """Open the page in the browser, once."""
        if not self._opened:
            self._opened = True
            webbrowser.open(self.address)

    def close(self) -> None:
        self._finalizer()
