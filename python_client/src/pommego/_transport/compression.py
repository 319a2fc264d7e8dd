"""Batches compressed for slow links: `make_vec(..., compression="zstd")`."""

from __future__ import annotations

from typing import Any

from pommego._transport import wire
from pommego._transport.buffers import BufferPool
from pommego.errors import PommegoError

__all__ = ["Unpacker", "check"]

_WINDOW = 1 << 20  # bytes: what the protocol allows


def check(compression: str | None) -> None:
    """Check that this client can decompress batches.

    Raises:
        PommegoError: the package zstandard is not installed.
    """
    if compression is not None:
        _library()


def _library() -> Any:
    try:
        import zstandard  # noqa: PLC0415  # an extra: most users do not need it
    except ImportError:
        raise PommegoError(
            "compression needs the package zstandard, which is not installed: pip install 'pommego[zstd]'"
        ) from None
    return zstandard


class Unpacker:
    """Decompresses the batches of one connection."""

    def __init__(self) -> None:
        library = _library()
        self._decompressor = library.ZstdDecompressor(max_window_size=_WINDOW)
        self._error = library.ZstdError
        self._size_of = library.frame_content_size
        self._buffers = BufferPool()

    def unpack(self, reply: wire.Compressed, most: int) -> wire.Batch:
        """Return the batch, in memory that belongs to its arrays.

        Args:
            reply: as received.
            most: the most bytes that a message may have.

        Raises:
            ValueError: it is damaged, too long, or not a batch.
        """
        if not 0 < reply.size <= most:
            raise ValueError(f"a compressed message of {reply.size} bytes, want at most {most}")
        try:
            announced = self._size_of(reply.data)  # which is allocated, whatever max_output_size is
            if announced > reply.size:
                raise ValueError(f"a compressed message of {announced} bytes, expected {reply.size}")
            data = self._decompressor.decompress(reply.data, max_output_size=reply.size)
        except self._error as e:
            raise ValueError(f"a damaged compressed message ({e})") from e
        if len(data) != reply.size:
            raise ValueError(f"a compressed message of {len(data)} bytes, expected {reply.size}")
        memory = self._buffers.take(reply.size)[: reply.size]
        memory[:] = data
        batch = wire.decode(memory)
        if not isinstance(batch, wire.Batch) or batch.id != reply.id:
            raise ValueError(f"a compressed {type(batch).__name__}, expected the batch {reply.id}")
        return batch
