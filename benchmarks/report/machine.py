"""What the figures were measured on, and how busy it was with other things."""

from __future__ import annotations

import datetime
import hashlib
import importlib.metadata
import os
import platform
import resource
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "Processors", "binary", "describe"]

ROOT = Path(__file__).resolve().parents[2]
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_PACKAGES = ("numpy", "gymnasium", "msgspec", "zstandard", "envpool", "matplotlib")


def binary() -> Path:
    """The server that is measured."""
    return Path(os.environ.get("POMMEGO_BINARY", ROOT / "bin" / "pommego"))


def describe() -> dict[str, Any]:
    """Describe machine and build; `build` differs if figures cannot be compared."""
    go = _output("go", "version", "-m", str(binary()))
    machine = {
        "processor": _field(Path("/proc/cpuinfo"), "model name") or platform.processor(),
        "cores": os.cpu_count(),
        "caches": _caches(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "governor": _text(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")) or None,
    }
    versions = {"python": platform.python_version(), "go": go.partition("\n")[0].rpartition(" ")[2] or None}
    versions |= {name: _version(name) for name in _PACKAGES}
    build = [
        machine["processor"],
        machine["cores"],
        [versions[name] for name in ("python", "go", "numpy", "gymnasium", "msgspec")],
        _digest([binary()]),
        _digest((ROOT / "python_client" / "src" / "pommego").glob("*.py")),
    ]
    return {
        "machine": machine,
        "versions": versions,
        "go_build": [line.split("\t")[-1] for line in go.splitlines() if line.startswith("\tbuild\t-")],
        "commit": _output("git", "rev-parse", "--short", "HEAD").strip() or None,
        "changed": bool(_output("git", "status", "--porcelain", "--untracked-files=no").strip()),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "build": hashlib.sha256(repr(build).encode()).hexdigest(),
    }


class Processors:
    """Who had the machine's processors, from one look to the next (Linux; elsewhere nothing is known)."""

    def __init__(self) -> None:
        self._last, self._ours = self._read(), self._own()

    def _read(self) -> list[int]:
        return [int(n) for n in _text(Path("/proc/stat")).partition("\n")[0].split()[1:9]]

    def _own(self) -> float:
        """Return the seconds that we and the processes we have waited for took."""
        return sum(
            sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )

    def since(self) -> dict[str, float | None]:
        """Return the shares that others had, and that the host took away, since the last look."""
        now, ours = self._read(), self._own()
        spent = [after - before for before, after in zip(self._last, now, strict=True)]
        own = (ours - self._ours) * os.sysconf("SC_CLK_TCK")
        self._last, self._ours = now, ours
        total = sum(spent)
        if not total:
            return {"others": None, "stolen": None}
        idle, stolen = spent[3] + spent[4], spent[7]
        others = max(total - idle - stolen - own, 0.0)
        return {"others": others / total, "stolen": stolen / total}


def _caches() -> str:
    """Describe the first core's caches, such as "48K Data L1, 2048K Unified L2"."""
    caches = []
    for index in sorted(_CACHES.glob("index*")):
        size, kind, level = (_text(index / name) for name in ("size", "type", "level"))
        if kind != "Instruction":
            caches.append(f"{size} {kind.lower()} L{level}")
    return ", ".join(caches)


def _field(path: Path, name: str) -> str:
    for line in _text(path).splitlines():
        if line.startswith(name):
            return line.partition(":")[2].strip()
    return ""


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def _digest(paths: Any) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()
