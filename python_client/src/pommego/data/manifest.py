"""The manifest of a data set, and the check of its files."""

import contextlib
import hashlib
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from pommego.errors import PommegoError
from pommego.server import find_binary

_FORMAT = "pommego-dataset/1"
_NAME = "manifest.json"


class DamagedError(PommegoError):
    """A data set is damaged: it differs from what was written."""


@dataclass(frozen=True)
class Column:
    """One column of the files.

    Attributes:
        name: its name.
        type: "bool", "uint8", "int16", "int32", "int64", "uint64", "float32", "float64",
            "string", "bytes", "messages", or "fixed_bytes", an array of one shape.
        meaning: its meaning.
        nullable: whether it can be empty in a row.
        dtype: of an array's elements, as numpy names it; else "".
        shape: of the array; else ().
    """

    name: str
    type: str
    meaning: str
    nullable: bool = False
    dtype: str = ""
    shape: tuple[int, ...] = ()

    @property
    def numpy(self) -> np.dtype[Any]:
        """The type of a fixed_bytes column's elements, which are little-endian."""
        return np.dtype(self.dtype).newbyteorder("<")

    def array(self, values: bytes | Sequence[bytes]) -> NDArray[Any]:
        """Turn the bytes of a column of arrays, as other libraries return them, into an array.

        Args:
            values: the bytes of one row, or those of several.

        Returns:
            the array, for several rows with rows first.
        """
        if isinstance(values, bytes):
            return np.frombuffer(values, self.numpy).reshape(self.shape)
        joined = b"".join(values)
        return np.frombuffer(joined, self.numpy).reshape(len(values), *self.shape)


class Manifest:
    """The description of a data set.

    Attributes:
        json: the contents of the manifest's file.
        folder: the data set's folder; None for a single file.
        files: the paths of the data files, in the order of games.
    """

    def __init__(self, content: dict[str, Any], folder: Path | None, files: list[Path]) -> None:
        self.json = content
        self.folder = folder
        self.files = files

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read the manifest of a folder, or the description in a single Parquet file.

        Raises:
            FileNotFoundError: there is no finished data set.
            DamagedError: the manifest is damaged or has a later format, or a file is a link
                out of the folder.
        """
        at = Path(path)
        if at.suffix == ".parquet" and not at.is_dir():
            file = parquet_library().ParquetFile(at)
            text = (file.schema_arrow.metadata or {}).get(b"pommego")
            if text is None:
                raise DamagedError(f"{at} is not a file of a data set: it has no description")
            return cls(_known(json.loads(text), at), None, [at])
        try:
            text = _in(at, _NAME).read_bytes()
        except FileNotFoundError as e:
            begun = (at / ".generate").exists()
            why = "it is not finished: run its command again" if begun else f"it has no {_NAME}"
            raise FileNotFoundError(f"{at} holds no data set: {why}") from e
        content = _known(_parse(text, at / _NAME), at / _NAME)
        return cls(content, at, _files(content, at))

    @property
    def layout(self) -> str:
        """The layout: "games", "steps" or "dialogues"."""
        return self.json["layout"]

    @property
    def env_id(self) -> str:
        """The game's id; with changed rules it begins with "custom:"."""
        return self.json["env"]["id"]

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self.json["env"]["seats"]

    @property
    def components(self) -> int:
        """The number of components of an action."""
        return len(self.json["env"]["actions"])

    @property
    def counts(self) -> tuple[str, ...]:
        """The names of the games' counts, each of which has its own columns."""
        return tuple(count["name"] for count in self.json["env"].get("counts") or ())

    @property
    def agents(self) -> list[str]:
        """The agents in the data set."""
        return list(dict.fromkeys(self.json["agents"]))

    @cached_property
    def columns(self) -> dict[str, Column]:
        """The columns by name, in the files' order."""
        return {column["name"]: msgspec.convert(column, Column) for column in self.json["columns"]}

    @property
    def fields(self) -> list[dict[str, Any]]:
        """The fields of the observation, of layout "steps": name, dtype, shape, names and so on."""
        return self.json.get("fields") or []

    @property
    def extra(self) -> tuple[str, ...]:
        """The names of the arrays that policies reported, besides the statistics of searches."""
        return tuple(array["name"] for array in self.json.get("extra") or ())

    def make_options(self) -> dict[str, Any]:
        """Return the options of `pommego.make_vec` that make this game."""
        env = self.json["env"]
        base = env["id"].removeprefix("custom:")
        return {"id": base} if base == env["id"] else {"id": base, "rules": env["rules"]}

    def __repr__(self) -> str:
        counts = "".join(f", {self.json[k]} {k}" for k in ("games", "steps", "rows") if k in self.json)
        return f"<Manifest of {self.folder or self.files[0]}: {self.layout} of {self.env_id}{counts}>"


def parquet_library() -> Any:
    """Import pyarrow.parquet, which is needed for reading."""
    try:
        import pyarrow.parquet  # noqa: PLC0415, an extra
    except ImportError as e:
        raise ImportError("reading data sets needs pyarrow: pip install pommego[data]") from e
    return pyarrow.parquet


def _parse(text: bytes, path: Path) -> dict[str, Any]:
    """Parse a manifest and check it against its checksum."""
    try:
        content = json.loads(text)
        checksum = content["checksum"]
        before, after = text.rsplit(checksum.encode(), 1)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise DamagedError(f"{path} is damaged: {e!r}") from e
    if hashlib.sha256(before + after).hexdigest() != checksum:
        raise DamagedError(f"{path} is damaged: its checksum does not match")
    return content


def _files(content: dict[str, Any], folder: Path) -> list[Path]:
    """Return the paths of the data files, after a check that all files are in the folder."""
    try:
        listed = [_in(folder, file["path"]) for file in content["files"] + content["others"]]
    except (KeyError, TypeError) as e:
        raise DamagedError(f"{folder / _NAME} is damaged: {e!r} in its list of files") from e
    return listed[: len(content["files"])]


def _known(content: dict[str, Any], path: Path) -> dict[str, Any]:
    found = content.get("format")
    if found != _FORMAT:
        raise DamagedError(f"{path}: its format is {found!r}, expected {_FORMAT!r}")
    return content


def _in(folder: Path, name: str) -> Path:
    """Return a file's path. Raise DamagedError if it is outside the folder: a manifest is untrusted."""
    at, path = PurePosixPath(name), folder / name
    if at.is_absolute() or ".." in at.parts or at == PurePosixPath() or set("\\:\0") & set(name):
        raise DamagedError(f"{folder / _NAME} is damaged: it lists {name!r}, which is not inside its folder")
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DamagedError(f"{path} is a link out of its folder, which is not followed: put a copy there")
    return path


def verify(path: str | os.PathLike[str]) -> list[str]:
    """Check a data set as ``pommego data verify`` does: every file but the card, byte by byte and row by row.

    Returns:
        a list of problems, each a text; empty if there are none.

    Raises:
        FileNotFoundError: there is no finished data set.
    """
    with contextlib.suppress(DamagedError):  # the check reports it
        Manifest.read(path)
    command = [find_binary(), "data", "verify", "--json", os.fspath(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["sets"][0]["problems"]
