"""WebSocket frames: opcodes, close codes, checks of headers, and masking (RFC 6455, section 5)."""

import os
import struct

import numpy as np

from pommego.errors import ProtocolError

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
FIN, RESERVED, OPCODE, MASKED, LENGTH = 0x80, 0x70, 0x0F, 0x80, 0x7F
LENGTH16, LENGTH64 = 126, 127  # these lengths mean that two or eight bytes with the length follow
LONGEST_HEAD = 10  # of a frame without a mask
MAX_CONTROL = 125  # bytes in a control frame's payload

NORMAL, BAD_FRAME, BAD_KIND, TOO_BIG = 1000, 1002, 1003, 1009
_PAYLOAD = 16  # where a payload starts in the memory of a frame to send


def check_head(first: int, second: int, *, kind: int, inside: bool, peer: str) -> None:
    """Check the first two bytes of a server's frame. `kind` is the kind of its messages, TEXT or BINARY."""
    opcode, length = first & OPCODE, second & LENGTH
    wrong, code = "", BAD_FRAME
    if first & RESERVED:
        wrong = "a frame with reserved bits set"
    elif second & MASKED:
        wrong = "a masked frame, which only clients do"
    elif opcode == TEXT + BINARY - kind:
        wrong, code = "text, but all messages are binary" if opcode == TEXT else "binary for text", BAD_KIND
    elif opcode not in (CONTINUATION, kind, CLOSE, PING, PONG):
        wrong = f"a frame of the unknown kind {opcode:#x}"
    elif opcode >= CLOSE and (not first & FIN or length > MAX_CONTROL):
        wrong = "a control frame that is too long or in fragments"
    elif opcode == kind and inside:
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
    """Split a close frame into code and reason; code 0 if it has none."""
    if not payload:
        return 0, ""
    code = int.from_bytes(payload[:2], "big")
    known = 1000 <= code <= 1014 and code not in (1004, 1005, 1006)
    if len(payload) < 2 or not (known or 3000 <= code < 5000):
        raise ValueError(f"bad close code in {payload[:40]!r}")
    return code, payload[2:].decode()


def frame(opcode: int, payload: bytes | bytearray | memoryview) -> memoryview:
    """Return a whole frame, masked with an unpredictable key."""
    length, key = len(payload), os.urandom(4)
    if length <= MAX_CONTROL:
        head = struct.pack("!BB", FIN | opcode, MASKED | length) + key
    elif length < 1 << 16:
        head = struct.pack("!BBH", FIN | opcode, MASKED | LENGTH16, length) + key
    else:
        head = struct.pack("!BBQ", FIN | opcode, MASKED | LENGTH64, length) + key
    # The payload starts at a multiple of eight, right behind the head, and is masked in words.
    whole = np.empty(_PAYLOAD + ((length + 7) & ~7), np.uint8)
    memory, begin = memoryview(whole), _PAYLOAD - len(head)
    memory[begin:_PAYLOAD] = head
    memory[_PAYLOAD : _PAYLOAD + length] = payload
    words = whole[_PAYLOAD:].view(np.uint64)
    np.bitwise_xor(words, np.frombuffer(2 * key, np.uint64), out=words)
    return memory[begin : _PAYLOAD + length]
