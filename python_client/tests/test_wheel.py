"""The wheel, built and installed as users do it, where there is no Go; and the sources it can be built from.

With ``pytest -s`` it prints the wheel's size, and how long it takes from `pip install` to the first batch.
"""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import tarfile
import time
import venv
import zipfile
from pathlib import Path

import pytest
import trove_classifiers
import yaml

import pommego.server

PACKAGE = Path(__file__).parents[1]
VERSION = (PACKAGE.parent / "cmd" / "pommego" / "version.txt").read_text().strip()
LICENCES = ["LICENSE", "THIRD_PARTY_NOTICES.txt"]

ROLLOUT = """
import sys
import pommego, pommego.server
with pommego.make_vec("PommeFFACompetition-v0", 16) as envs:
    obs, info = envs.reset(seed=0)
    assert str(pommego.server.find_binary()).startswith(sys.prefix)
    assert obs["planes"].shape == (64, *envs.encoding["planes"].shape)
"""


def build(sources: Path, folder: Path) -> Path:
    """Build a wheel from the repository's folder, or an sdist's. After `make build` Go only has to link."""
    if shutil.which("go") is None:
        pytest.skip("building a wheel needs Go")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        folder,
        sources,
    ]
    subprocess.run(command, check=True, timeout=600)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.parametrize("target", ["wheel", "wheels"])
def test_what_make_installs_to_build_wheels(target: str) -> None:
    """Not the requirements of the tests, with a browser's driver and a site's generator."""
    if shutil.which("make") is None:
        pytest.skip("this needs make")
    command = ["make", "--dry-run", "--always-make", target]
    said = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True, check=True).stdout
    assert "requirements/tools.txt" in said
    assert "requirements/test.txt" not in said


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(PACKAGE, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an sdist."""
    pytest.importorskip("hatchling", reason="needs the extra test")
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", folder]
    subprocess.run(command, cwd=PACKAGE, check=True, capture_output=True, timeout=600)
    (packed,) = folder.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    return packed.with_name(packed.name.removesuffix(".tar.gz"))


def test_the_licence_is_the_repositorys() -> None:
    """Only what lies beside pyproject.toml gets into a wheel, so there are two copies."""
    assert (PACKAGE / "LICENSE").read_text() == (PACKAGE.parent / "LICENSE").read_text()


def test_what_is_in_it(wheel: Path) -> None:
    assert wheel.name.startswith(f"pommego-{VERSION}-py3-none-")
    assert not wheel.name.endswith("any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    program = "pommego/bin/pommego.exe" if os.name == "nt" else "pommego/bin/pommego"
    assert program in names
    assert "pommego/vector.py" in names
    for name in ("pommego_agent.h", "basewar_bot.c", "basewar_bot.cpp", "suitebot_sample.jsonl.gz"):
        assert f"pommego/_examples/{name}" in names
    assert {f"pommego/_examples/{f.name}" for f in (PACKAGE / "examples").rglob("*.py")} <= set(names)
    assert {
        f"pommego/_networks/{name}.net" for name in ("mappo-radio", "mappo-team", "ppo-duel", "ppo-ffa")
    } <= set(names)
    assert {f"pommego-{VERSION}.dist-info/licenses/{name}" for name in LICENCES} <= set(names)
    assert not [name for name in names if name.endswith(".go") or "/tests/" in name]
    assert not (PACKAGE / "src" / "pommego" / "bin").exists(), "nothing is left in the sources"


def test_metadata(wheel: Path) -> None:
    """It names its authors, its licence and what it is about, in classifiers that exist."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        said = email.message_from_bytes(archive.read(name))
    cited = yaml.safe_load((PACKAGE.parent / "CITATION.cff").read_text())
    assert (said["Name"], said["Version"]) == ("pommego", cited["version"]) == ("pommego", VERSION)
    assert said["Author"] == cited["authors"][0]["name"]
    assert said["License-Expression"] == cited["license"]
    assert said.get_all("License-File") == LICENCES
    assert said["License"] is None
    assert "Pommerman for reinforcement learning" in said["Summary"]
    assert said["Requires-Python"] == ">=3.11"
    assert {"pommerman", "reinforcement learning"} <= set(said["Keywords"].split(","))
    given = said.get_all("Classifier")
    assert set(given) <= trove_classifiers.classifiers
    assert "Programming Language :: Python :: 3.11" in given
    assert not [line for line in given if line.startswith("License ::")], "the expression says it"
    urls = dict(line.split(", ", 1) for line in said.get_all("Project-URL"))
    paper = cited["references"][0]["identifiers"][0]["value"].removeprefix("arXiv:")
    assert urls["The original's paper"] == f"https://arxiv.org/abs/{paper}"
    assert urls["The original game"].endswith("/MultiAgentLearning/playground")
    assert said["Description-Content-Type"] == "text/markdown"
    assert said.get_payload().startswith("# pommego\n")


def test_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)  # this Python's pip installs there as its own would
    scripts = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    bare = {"PATH": os.pathsep.join([str(scripts), "/usr/bin", "/bin"]), "HOME": str(tmp_path)}
    keep = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("PIP_", "SSL_", "UV_")) or "proxy" in name.lower()
    }
    environment = bare | keep
    if shutil.which("go", path=environment["PATH"]):
        pytest.skip("Go is in /usr/bin")
    pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check"]
    install = [*pip, "install", wheel]
    began = time.perf_counter()
    subprocess.run(install, check=True, env=environment, timeout=600)
    subprocess.run([python, "-c", ROLLOUT], check=True, env=environment)
    took, size = time.perf_counter() - began, wheel.stat().st_size / 1e6
    print(f"\n{wheel.name}: {size:.1f} MB, {took:.1f} s from pip install to the first batch")
    for arguments, wanted in ((["envs"], "PommeFFACompetition-v0"), (["--version"], f"pommego {VERSION}")):
        told = subprocess.run(
            [scripts / "pommego", *arguments], check=True, env=environment, capture_output=True, text=True
        )
        assert wanted in told.stdout
    copy = [python, "-m", "pommego.examples", "copy", "rollout", "--to", tmp_path]
    subprocess.run(copy, check=True, env=environment)
    example = [python, tmp_path / "rollout.py"]
    out = subprocess.run(example, check=True, env=environment, capture_output=True, text=True)
    planes = pommego.catalog()["PommeFFACompetition-v0"].encodings[0]["planes"]
    assert str((256, *planes.shape)) in out.stdout
    script = "import pommego; print(pommego.__version__)"
    out = subprocess.run([python, "-c", script], check=True, env=environment, capture_output=True, text=True)
    assert out.stdout.strip() == VERSION


def test_the_sources_suffice(unpacked: Path, wheel: Path, tmp_path: Path) -> None:
    """An sdist builds the same wheel, far from the repository."""
    assert unpacked.name == f"pommego-{VERSION}"
    built = build(unpacked, tmp_path)
    assert built.name == wheel.name
    with zipfile.ZipFile(built) as ours, zipfile.ZipFile(wheel) as wanted:
        assert sorted(ours.namelist()) == sorted(wanted.namelist())


def test_package_and_program_have_one_version() -> None:
    assert pommego.__version__ == VERSION
    program = [pommego.server.find_binary(), "--version"]
    said = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    assert said.startswith(f"pommego {VERSION}")


def test_a_console_script_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for the program in PATH must not find the script that looks for it."""
    script = tmp_path / "pommego"
    script.write_text("#!/usr/bin/env python3\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("POMMEGO_BINARY", raising=False)
    from pommego import server

    monkeypatch.setattr(server, "__file__", str(tmp_path / "a" / "b" / "c" / "server.py"))
    with pytest.raises(server.BinaryNotFoundError):
        server.find_binary()


def test_unknown_targets(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="needs the extra test")
    environment = os.environ | {"POMMEGO_TARGET": "plan9/386"}
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", tmp_path, PACKAGE]
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode
    assert "plan9/386, only for linux/amd64" in done.stdout + done.stderr
