"""WebSocket frames: opcodes, close codes, checks of headers, and masking (RFC 6455, section 5)."""

from __future__ import annotations

import os
import struct

import numpy as np

from pommego.errors import ProtocolError

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
FIN, RESERVED, OPCODE, MASKED, LENGTH = 0x80, 0x70, 0x0F, 0x80, 0x7F
LENGTH16, LENGTH64 = 126, 127  # lengths that mean that two, or eight, bytes of length follow
LONGEST_HEAD = 10  # of a frame without a mask
MAX_CONTROL = 125  # bytes in a control frame's payload

NORMAL, BAD_FRAME, BAD_KIND, TOO_BIG = 1000, 1002, 1003, 1009
CLOSE_CODES = {
    1000: "done",
    1001: "it is going away",
    1002: "protocol error",
    1003: "wrong kind of message",
    1007: "malformed message",
    1008: "policy violation",
    1009: "message too big",
    1010: "extension missing",
    1011: "internal error",
    1012: "restarting",
    1013: "try again later",
    1014: "bad gateway",
}

_KEYS = 1024  # masking keys drawn at a time
_PAYLOAD = 16  # where a payload starts in the send buffer


def check_head(first: int, second: int, *, inside: bool, peer: str) -> None:
    """Check the first two bytes of a frame from a server.

    Raises:
        ProtocolError: a client must not accept such a frame.
    """
    opcode, length = first & OPCODE, second & LENGTH
    wrong, code = "", BAD_FRAME
    if first & RESERVED:
        wrong = "a frame with reserved bits set"
    elif second & MASKED:
        wrong = "a masked frame, which only clients do"
    elif opcode == TEXT:
        wrong, code = "text, but all messages are binary", BAD_KIND
    elif opcode not in (CONTINUATION, BINARY, CLOSE, PING, PONG):
        wrong = f"a frame of the unknown kind {opcode:#x}"
    elif opcode >= CLOSE and (not first & FIN or length > MAX_CONTROL):
        wrong = "a control frame that is too long or in fragments"
    elif opcode == BINARY and inside:
        wrong = "a new message before the end of the last"
    elif opcode == CONTINUATION and not inside:
        wrong = "a continuation frame without a message"
    if wrong:
        raise ProtocolError(f"{peer} sent {wrong}", code)


def long_length(encoded: memoryview, peer: str) -> int:
    """Decode a length of two or eight bytes, which has to be the shortest form for it."""
    length = int.from_bytes(encoded, "big")
    shortest = MAX_CONTROL + 1 if len(encoded) == 2 else 1 << 16
    if length < shortest or length >> 63:
        raise ProtocolError(f"{peer} sent an invalid length: {length} in {len(encoded)} bytes", BAD_FRAME)
    return length


def read_close(payload: bytes) -> tuple[int, str]:
    """Split a close frame into code and reason; code 0 if it has none.

    Raises:
        ValueError: it is malformed.
    """
    if not payload:
        return 0, ""
    code = int.from_bytes(payload[:2], "big")
    if len(payload) < 2 or not (code in CLOSE_CODES or 3000 <= code < 5000):
        raise ValueError(f"bad close code in {payload[:40]!r}")
    return code, payload[2:].decode()


class FrameWriter:
    """Builds masked frames, one after another in the same memory."""

    def __init__(self) -> None:
        self._memory = np.empty(4096, np.uint8)
        self._keys = np.empty(0, np.uint32)
        self._next_key = 0

    def frame(self, opcode: int, payload: bytes | bytearray | memoryview) -> memoryview:
        """Return the whole frame, valid until the next call.

        The payload starts at a multiple of eight with the head right before
        it, so that it can be masked in words.
        """
        length = len(payload)
        padded = (length + 7) & ~7
        if _PAYLOAD + padded > self._memory.size:
            self._memory = np.empty(_PAYLOAD + 2 * padded, np.uint8)
        memory = memoryview(self._memory)
        memory[_PAYLOAD : _PAYLOAD + length] = payload
        key = self._key()
        words = self._memory[_PAYLOAD : _PAYLOAD + padded].view(np.uint64)
        np.bitwise_xor(words, np.uint64(key << 32 | key), out=words)
        head = self._head(opcode, length, key)
        begin = _PAYLOAD - len(head)
        memory[begin:_PAYLOAD] = head
        return memory[begin : _PAYLOAD + length]

    @staticmethod
    def _head(opcode: int, length: int, key: int) -> bytes:
        mask = struct.pack("=I", key)  # in this machine's order, as the words were
        if length <= MAX_CONTROL:
            return struct.pack("!BB", FIN | opcode, MASKED | length) + mask
        if length < 1 << 16:
            return struct.pack("!BBH", FIN | opcode, MASKED | LENGTH16, length) + mask
        return struct.pack("!BBQ", FIN | opcode, MASKED | LENGTH64, length) + mask

    def _key(self) -> int:
        """Return an unpredictable key; the operating system is asked for many at a time."""
        if self._next_key == self._keys.size:
            self._keys = np.frombuffer(os.urandom(4 * _KEYS), np.uint32)
            self._next_key = 0
        self._next_key += 1
        return int(self._keys[self._next_key - 1])
