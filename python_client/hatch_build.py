"""Build hooks: give the package its version, and wheels the examples and the program for their platform.

A wheel is for the machine it is built on, or for another one named by
POMMEGO_TARGET=GOOS/GOARCH (linux/arm64, darwin/amd64, windows/amd64, ...): Go
compiles for all of them. POMMEGO_SBOM names the program's bill of materials, if
there is one. An editable install compiles nothing: it uses the program that
`make build` leaves in the repository.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# The oldest systems that programs made by Go 1.26 run on. They need no C library.
TAGS = {
    ("linux", "amd64"): "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}
_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


class VersionHook(MetadataHookInterface):
    """Gives the package the version of the program's sources."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the version."""
        text = (_sources(Path(self.root)) / "cmd" / "pommego" / "version.txt").read_text(encoding="utf-8")
        metadata["version"] = text.strip()


class ProgramHook(BuildHookInterface):
    """Compiles the program into wheels, as pommego/bin/pommego, and leaves nothing in the sources.

    An editable install would take a program there for a current one.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say which platform the wheel is for."""
        if self.target_name != "wheel" or version == "editable":
            return
        goos, goarch = _target()
        self._folder = tempfile.TemporaryDirectory(prefix="pommego-build-")
        program = Path(self._folder.name) / ("pommego.exe" if goos == "windows" else "pommego")
        sources = _sources(Path(self.root))
        _compile(sources, program, goos, goarch)
        build_data["force_include"][str(program)] = f"pommego/bin/{program.name}"
        if "POMMEGO_SBOM" in os.environ:
            build_data["sbom_files"].append(os.environ["POMMEGO_SBOM"])
        examples = Path(self.root) / "examples"
        # Python, C and a recorded game.
        for file in (*examples.glob("*.[cghp]*"), *examples.glob("baselines/*.py")):
            build_data["force_include"][str(file)] = f"pommego/_examples/{file.name}"
        for file in (sources / "env" / "pommerman" / "bots" / "learned").glob("*.net"):
            build_data["force_include"][str(file)] = f"pommego/_networks/{file.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{TAGS[goos, goarch]}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled."""
        if self.target_name == "wheel" and version != "editable":
            self._folder.cleanup()


def _target() -> tuple[str, str]:
    named = os.environ.get("POMMEGO_TARGET")
    if named:
        goos, _, goarch = named.partition("/")
    else:
        goos = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform)
        goarch = _MACHINES.get(platform.machine().lower(), platform.machine())
    if (goos, goarch) not in TAGS:
        known = ", ".join("/".join(pair) for pair in TAGS)
        raise SystemExit(f"pommego: no wheel can be built for {goos}/{goarch}, only for {known}")
    return goos, goarch


def _sources(root: Path) -> Path:
    """Find the Go module: in the sdist beside us, in the repository above us."""
    for folder in (root / "go", root.parent):
        if (folder / "go.mod").is_file() and (folder / "cmd" / "pommego").is_dir():
            return folder
    raise SystemExit("pommego: the Go sources are missing. Build in the repository, or from its sdist.")


def _compile(module: Path, program: Path, goos: str, goarch: str) -> None:
    go = shutil.which("go")
    if go is None:
        raise SystemExit(
            "pommego: building from source needs Go 1.26 or newer (https://go.dev/dl). "
            "A wheel for this platform, if there is one, needs nothing."
        )
    environment = os.environ | {"CGO_ENABLED": "0", "GOOS": goos, "GOARCH": goarch}
    command = [go, "build", "-trimpath", "-ldflags", "-s -w", "-o", str(program), "./cmd/pommego"]
    done = subprocess.run(command, cwd=module, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"pommego: {' '.join(command)} failed in {module}")
