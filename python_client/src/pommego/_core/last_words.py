"""Reads in a server's output how it ended, and which agents failed."""

import os
import re
import signal
import subprocess
from typing import IO

from pommego.errors import ServerDiedError

_TAIL = 2048  # bytes of its output in error messages
_SEARCHED = 8 << 20  # bytes of the output that are searched for the beginning of a fault

# How the message of a Go program that ends by a fault begins. After it and an empty line comes the stack of
# each goroutine, which can be megabytes.
_FAULT = re.compile(
    r"^(?:runtime(?:/cgo)?: .*\n)*(?:fatal error: |panic: |SIG[A-Z]+: |unexpected fault ).*", re.MULTILINE
)
_MEMORY = re.compile(r"out of memory|cannot allocate memory|failed to create new OS thread|pthread_create")
# The lines of the log about agents outside the server.
_FAILED = re.compile(r'msg="an agent outside the server failed, and plays stop" (.*)')


def death(process: subprocess.Popen[bytes], output: IO[bytes]) -> ServerDiedError:
    code, words, advice = process.poll(), last_words(output), ""
    how = f"was killed by signal {-code}" if code and code < 0 else f"exited with status {code}"
    if starved := bool(_MEMORY.search(words)):
        how = f"ran out of memory (exit status {code})"
        advice = "\nAsk for fewer games or a smaller observation, or give it more memory."
    elif code == -signal.SIGKILL:
        advice = ". The system does that, too, when memory runs out: then ask for fewer games."
    text = f"The embedded server (process {process.pid}) {how}{quoted(words)}{advice}"
    return ServerDiedError(text, code or 0, words, out_of_memory=starved)


def last_words(output: IO[bytes]) -> str:
    """Return the last output of the process: for a fault its beginning, otherwise the last lines."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(size - _SEARCHED, 0))
    text = output.read().decode(errors="replace")
    fault = _FAULT.search(text)
    if fault:
        return text[fault.start() :].partition("\n\n")[0][:_TAIL].strip()
    return text[-_TAIL:].strip()


def quoted(words: str) -> str:
    return f"; it printed last:\n{words}" if words else " and printed nothing"


def failures(output: IO[bytes]) -> list[str]:
    """Return the log's messages about agents outside the server that failed, each once."""
    output.seek(0)
    found = _FAILED.findall(output.read(_SEARCHED).decode(errors="replace"))
    return [text.replace("\\n", "\n") for text in dict.fromkeys(found)]
