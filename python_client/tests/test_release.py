"""What `make release` needs: files that agree, an image, a statement; and files of an earlier revision.

With POMMEGO_RELEASE=FOLDER, as `make rehearsal` sets it, the release there is checked too. Then somebody
who has that folder and Python alone, and no Go, installs, trains, evaluates, plays and reads.
"""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import http.server
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import browser
import pommego
from test_browser_play import DUEL, begun, dies, text

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import release
import verify

REPOSITORY = Path(__file__).parents[2]
EARLIER = Path(__file__).parent / "testdata" / "9cc3e45"
VERSION = (REPOSITORY / "cmd" / "pommego" / "version.txt").read_text().strip()
FOLDER = Path(os.environ.get("POMMEGO_RELEASE", "."))
built = pytest.mark.skipif("POMMEGO_RELEASE" not in os.environ, reason="make rehearsal")
PLATFORMS = [f"{system}-{arch}" for system in ("linux", "darwin", "windows") for arch in ("amd64", "arm64")]

# Who says a version, and where.
NAMED = [
    ("CITATION.cff", r"^version: (.+)", VERSION),
    ("codemeta.json", r'"version": "(.+)"', VERSION),
    (".zenodo.json", r'"version": "(.+)"', VERSION),
    ("docs/README.md", r"^  version = \{(.+)\}", VERSION),
    ("CHANGELOG.md", r"^## (\S+) \(", VERSION),
    ("python_client/src/pommego/_transport/wire.py", r'^SUBPROTOCOL = "pommego\.v(.+)\+', None),
    ("bridge/PROTOCOL.md", r"^Sec-WebSocket-Protocol: pommego\.v(.+)\+", None),
    ("docs/versions.md", r"`pommego\.v(.+)\+", None),
]


def told(binary: Path, *command: str) -> Any:
    return json.loads(subprocess.run([binary, *command, "--json"], check=True, capture_output=True).stdout)


def test_versions_agree(binary: Path) -> None:
    """The program, the client, the protocol and the documents; each that does not agree is named."""
    program = told(binary, "version")
    assert program["release"] == VERSION, f"{binary} is of {program['version']}, version.txt says {VERSION}"
    wrong = []
    for file, pattern, version in NAMED:
        want = version or str(program["protocol"])
        found = re.search(pattern, (REPOSITORY / file).read_text(), re.MULTILINE)
        if (said := found[1] if found else "nothing") != want:
            wrong.append(f"{file} says {said}, want {want}")
    games = told(binary, "envs")
    cells = [VERSION, str(program["protocol"]), str(program["seed_version"])]
    ids = {f"`{game['id']}` {game['version']}": game["version"] for game in games}
    agents: dict[str, int] = {}
    for game in games:
        for name, number in game["agent_versions"].items():
            same = {other["agent_versions"].get(name, number) for other in games} == {number}
            agents[f"`{name}` {number}" + ("" if same else f" in {game['game']}")] = number
    for of in (ids, agents):
        cells.append(", ".join(name for name, number in of.items() if number != 1) + ", others 1")
    line = f"| {' | '.join(cells)} |"
    if line not in (REPOSITORY / "docs" / "versions.md").read_text():
        wrong.append(f"docs/versions.md does not say {line}")
    assert not wrong


def stated(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, folder / "verify.py"], check=False, capture_output=True, text=True)


def test_the_statement_is_of_every_byte(tmp_path: Path) -> None:
    shutil.copy(REPOSITORY / "tools" / "verify.py", tmp_path)
    (tmp_path / "a.whl").write_bytes(b"abc")
    written = release.statement("1.2.3", tmp_path, "c0ffee")
    (tmp_path / verify.STATEMENT).write_bytes(written)
    done = stated(tmp_path)
    assert (done.returncode, done.stdout.split()) == (
        0,
        [hashlib.sha256(written).hexdigest(), verify.STATEMENT],
    )
    statement = json.loads(written)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicate"]["materials"] == [{"name": "pommego", "digest": {"gitCommit": "c0ffee"}}]
    (tmp_path / "a.whl").write_bytes(b"abd")
    (tmp_path / "b.whl").touch()
    done = stated(tmp_path)
    assert (done.returncode, done.stderr) == (1, "a.whl was changed\nb.whl was added\n")
    (tmp_path / "a.whl").unlink()
    (tmp_path / "b.whl").unlink()
    assert stated(tmp_path).stderr == "a.whl is missing\n"


def members(archive: Path | bytes) -> dict[str, tuple[int, bytes]]:
    """Return mode and bytes of each file in an archive."""
    data = archive if isinstance(archive, bytes) else archive.read_bytes()
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        return {m.name: (m.mode, opened.extractfile(m).read()) for m in opened if m.isfile()}


def check_image(layout: Path | bytes, version: str, folder: Path) -> dict[str, dict[str, Any]]:
    """Follow all of an OCI layout's digests, as whoever loads it does, and compare it with the archives."""
    files = {name: data for name, (_, data) in members(layout).items()}

    def blob(of: dict[str, Any], kind: str) -> bytes:
        data = files.pop("blobs/" + of["digest"].replace(":", "/"))
        assert (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}") == (of["size"], of["digest"])
        assert of["mediaType"] == f"application/vnd.oci.image.{kind}"
        return data

    assert json.loads(files.pop("oci-layout")) == {"imageLayoutVersion": "1.0.0"}
    (named,) = json.loads(files.pop("index.json"))["manifests"]
    assert named["annotations"] == {"org.opencontainers.image.ref.name": version}
    programs = {}
    for described in json.loads(blob(named, "index.v1+json"))["manifests"]:
        manifest = json.loads(blob(described, "manifest.v1+json"))
        config = json.loads(blob(manifest["config"], "config.v1+json"))
        layer = gzip.decompress(blob(manifest["layers"][0], "layer.v1.tar+gzip"))
        arch = config["architecture"]
        assert described["platform"] == {"architecture": arch, "os": "linux"}
        assert config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(layer).hexdigest()}"]
        stem = f"pommego-{version}-linux-{arch}"
        packed, wanted = members(layer), members(folder / f"{stem}.tar.gz")
        for name in ("pommego", "LICENSE", "THIRD_PARTY_NOTICES.txt"):
            assert packed.pop(name) == wanted[f"{stem}/{name}"]
        assert packed == {}
        labels = config["config"]["Labels"]
        assert labels["org.opencontainers.image.version"] == version
        assert {"title", "description", "licenses", "created"} <= {name.split(".")[-1] for name in labels}
        programs[arch] = config["config"]
    assert files == {}, "nothing but what an image refers to"
    assert sorted(programs) == ["amd64", "arm64"]
    return programs


def test_an_image(tmp_path: Path) -> None:
    """Of a tiny program: what the Containerfile says is in it, and the same archives give the same bytes."""
    for arch in ("amd64", "arm64"):
        stem = f"pommego-1.2.3-linux-{arch}"
        (tmp_path / stem).mkdir()
        for name in ("pommego", "LICENSE", "THIRD_PARTY_NOTICES.txt"):
            (tmp_path / stem / name).write_bytes(
                b"\x7fELF of " + arch.encode() if name == "pommego" else b"x"
            )
            (tmp_path / stem / name).chmod(0o755 if name == "pommego" else 0o644)
        with tarfile.open(tmp_path / f"{stem}.tar.gz", "w:gz") as archive:
            archive.add(tmp_path / stem, stem)
    packed = release.image("1.2.3", tmp_path, "2026-01-02T03:04:05Z")
    assert packed == release.image("1.2.3", tmp_path, "2026-01-02T03:04:05Z")
    config = check_image(packed, "1.2.3", tmp_path)["arm64"]
    assert config["Labels"]["org.opencontainers.image.created"] == "2026-01-02T03:04:05Z"
    assert (config["User"], config["Entrypoint"]) == ("65532:65532", ["/pommego"])
    assert config["Cmd"][:3] == ["serve", "--listen", ":8765"] and config["Cmd"][-1] == "info"
    assert config["ExposedPorts"] == {"8765/tcp": {}, "9090/tcp": {}}
    (tmp_path / "pommego-1.2.3-linux-arm64.tar.gz").write_bytes(
        (tmp_path / "pommego-1.2.3-linux-amd64.tar.gz").read_bytes()
    )
    with pytest.raises(KeyError):
        check_image(packed, "1.2.3", tmp_path)


@pytest.fixture
def checkout(tmp_path: Path) -> Callable[..., str]:
    """A repository whose build fails; returns what a release from it says, which must leave nothing."""

    def git(*command: str) -> str:
        named = ["-c", "user.name=a", "-c", "user.email=a@b"]
        return subprocess.run(
            ["git", *named, *command], check=True, cwd=tmp_path, capture_output=True, text=True
        ).stdout

    for name, content in {
        "cmd/pommego/version.txt": "1.2.3\n",
        "CHANGELOG.md": "# Changelog\n\n## 1.2.3 (not released yet)\n",
        "Makefile": "venv .venv-tools/bin/.ready bin/tools/.ready:\n"
        "\tmkdir -p .venv .venv-tools/bin bin/tools\n"
        "\ttouch .venv/.ready .venv-tools/bin/.ready bin/tools/.ready\n"
        "build:\n\t@echo it does not compile; false\n",
        ".gitignore": "/.venv\n/.venv-tools\n/bin/\ndist/\n",
        "tools/release.sh": (REPOSITORY / "tools" / "release.sh").read_text(),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    git("init", "--quiet", "--initial-branch", "main")
    git("config", "user.name", "Ada")
    git("config", "user.email", "ada@example.org")
    git("add", "--all")
    git("commit", "--quiet", "--message", "Begin")

    def run(version: str, *before: str) -> str:
        if before:
            git(*before)
        was = git("show-ref", "--head"), git("status", "--porcelain")
        command = ["bash", "tools/release.sh", version]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True, env=kept)
        assert done.returncode
        assert (git("show-ref", "--head"), git("status", "--porcelain")) == was, "no commit, no tag"
        return done.stdout + done.stderr

    return run


def test_a_release_that_cannot_be(checkout: Callable[..., str], tmp_path: Path) -> None:
    assert "VERSION is '1.2.4', but cmd/pommego/version.txt says 1.2.3" in checkout("1.2.4")
    hooks = tmp_path / "dist" / "template" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "pre-commit").write_text("#!/bin/sh\nfalse\n")
    (hooks / "pre-commit").chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_TEMPLATE_DIR", str(hooks.parent))
        assert "cut failed" in (said := checkout("1.2.3")), said
    assert "agree failed" in (said := checkout("1.2.3")), said
    assert "it does not compile" in said
    (cut,) = (tmp_path / "dist").rglob("one/CHANGELOG.md")
    assert re.fullmatch(r"# Changelog\n\n## 1.2.3 \(\d{4}-\d\d-\d\d\)\n", cut.read_text())
    for clone in (cut.parent, cut.parents[1] / "two"):
        tagged = subprocess.run(
            ["git", "describe", "--exact-match"], check=True, cwd=clone, capture_output=True, text=True
        )
        assert tagged.stdout == "v1.2.3\n", "programs name the tag of their commit"
    assert "release: cut" not in checkout("1.2.3"), "what was done is not done again"
    assert "the tag v1.2.3 exists already" in checkout("1.2.3", "tag", "v1.2.3")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n")
    assert "not committed:  M CHANGELOG.md" in checkout("1.2.3", "tag", "--delete", "v1.2.3")
    said = checkout("1.2.3", "commit", "--quiet", "--all", "--message", "Say nothing")
    assert "CHANGELOG.md has no heading '## 1.2.3 (not released yet)'" in said


def test_recorded_games_of_an_earlier_revision(binary: Path) -> None:
    """Data sets of that revision: TestFewerCounts (arena/dataset)."""
    games = sorted(EARLIER.glob("*.jsonl.gz"))
    done = subprocess.run([binary, "verify", *games], check=True, capture_output=True, text=True)
    assert "2 games, 64 steps, 0 mismatches" in done.stdout


@pytest.mark.parametrize("id", ["PommeRadio-v2", "BaseWar-v0", "SuiteBot-v0"])
def test_saved_games_of_an_earlier_revision(id: str, vec: Callable[..., pommego.PommegoVectorEnv]) -> None:
    """They go on as they did there."""
    saved = json.loads((EARLIER / "states.json").read_text())[id]
    envs = vec(id, 1, opponents=saved["opponents"] or None)
    forms = {"bytes": pommego.State(base64.b64decode(saved["bytes"])), "json": saved["json"]}
    for name, form in forms.items():
        envs.reset(seed=1)
        if id == "SuiteBot-v0" and name == "json":  # docs/versions.md says so
            with pytest.raises(pommego.ServerError, match="state has format 1, want 2"):
                envs.set_state(0, form)
            continue
        envs.set_state(0, form)
        for _ in range(3):
            envs.step(envs.action_space.sample() * 0)
        if saved["after"]:
            got, want = envs.get_state(0, as_json=True), saved["after"]
            for state in (got, want):
                state["pommego"]["pool"].pop("counted", None)  # more is counted today
            assert got == want


@built
def test_built_files() -> None:
    assert not stated(FOLDER).returncode, stated(FOLDER).stderr
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=FOLDER, check=True)
    kinds = [*[f"{where}.tar.gz" for where in PLATFORMS], *[f"{where}.cdx.json" for where in PLATFORMS]]
    kinds += ["oci.tar", "docs.tar.gz", "requirements.txt"]
    names = {path.name for path in FOLDER.iterdir() if path.suffix != ".whl"}
    others = {"SHA256SUMS", verify.STATEMENT, "verify.py", "pommego-client.cdx.json"}
    assert names == {f"pommego-{VERSION}-{kind}" for kind in kinds} | others


@built
def test_built_wheels() -> None:
    """Each has the program of an archive, its bill of materials (PEP 770) and the licences (PEP 639)."""
    wheels = list(FOLDER.glob("*.whl"))
    assert len(wheels) == len(PLATFORMS)
    held = set()
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            inside = {info.filename: archive.read(info) for info in archive.infolist()}
        about = f"pommego-{VERSION}.dist-info"
        (listed,) = (name for name in inside if name.startswith(f"{about}/sboms/"))
        stem = Path(listed).name.removesuffix(".cdx.json")
        assert inside[listed] == (FOLDER / f"{stem}.cdx.json").read_bytes()
        (program,) = (name for name in inside if name.startswith("pommego/bin/pommego"))
        assert inside[program] == members(FOLDER / f"{stem}.tar.gz")[f"{stem}/{Path(program).name}"][1]
        parts = json.loads(inside[listed])
        hashes = {entry["value"] for entry in parts["metadata"]["properties"] if "SHA-256" in entry["name"]}
        assert hashes == {hashlib.sha256(inside[program]).hexdigest()}
        assert "github.com/gorilla/websocket" in {part["name"] for part in parts["components"]}
        system, arch = stem.split("-")[2:]
        assert f"goarch={arch}&goos={system}&" in parts["metadata"]["component"]["purl"]
        for name in ("LICENSE", "THIRD_PARTY_NOTICES.txt"):
            assert inside[f"{about}/licenses/{name}"] == (REPOSITORY / "python_client" / name).read_bytes()
            assert f"License-File: {name}" in inside[f"{about}/METADATA"].decode()
        held.add(stem)
    assert held == {f"pommego-{VERSION}-{where}" for where in PLATFORMS}


@built
def test_built_image(tmp_path: Path) -> None:
    layout = FOLDER / f"pommego-{VERSION}-oci.tar"
    check_image(layout, VERSION, FOLDER)
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine())
    for _, data in members(layout).values():
        if data[:2] != b"\x1f\x8b":
            continue
        program = members(gzip.decompress(data))["pommego"][1]
        machine = {b"\x3e": "amd64", b"\xb7": "arm64"}[program[18:19]]  # ELF's e_machine
        if machine == arch:
            (tmp_path / "pommego").write_bytes(program)
            (tmp_path / "pommego").chmod(0o755)
            about = told(tmp_path / "pommego", "version")
            (made,) = json.loads((FOLDER / verify.STATEMENT).read_text())["predicate"]["materials"]
            assert (about["version"], about["commit"]) == (VERSION, made["digest"]["gitCommit"])
            return
    pytest.skip(f"no program for {platform.machine()}")


class User:
    """Somebody with the release's files, an index that serves the wheels, Python, and no Go."""

    def __init__(self, folder: Path, index: str) -> None:
        self.folder, self.index = folder, index
        keep = ("PIP_", "UV_", "SSL_", "HOME", "LANG", "TMPDIR")
        kept = {n: v for n, v in os.environ.items() if n.startswith(keep) or "proxy" in n.lower()}
        path = os.pathsep.join([str(folder / "env" / "bin"), "/usr/bin", "/bin"])
        self.environment = {**kept, "PATH": path, "UV_CACHE_DIR": str(folder / "uv")}
        assert not shutil.which("go", path=path), (
            "this machine has Go in /usr/bin: remove it for the rehearsal"
        )

    def run(self, *command: str | Path) -> str:
        done = subprocess.run(
            command,
            check=False,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert not done.returncode, f"{command}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def environments(self, name: str, *install: str | Path) -> Path:
        """Make an environment, and install into it from the index; returns its Python."""
        python = self.folder / name / "bin" / "python"
        if not python.exists():
            self.run(sys.executable, "-m", "venv", name)
        self.run(python, "-m", "pip", "install", "--quiet", "--extra-index-url", self.index, *install)
        return python


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An index of the release's wheels, by PEP 503: a folder for each package, that lists its files."""
    folder = tmp_path_factory.mktemp("index")
    (folder / "pommego").mkdir()
    for wheel in FOLDER.glob("*.whl"):
        shutil.copy(wheel, folder / "pommego")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            pass

    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory, index: str) -> User:
    somebody = User(tmp_path_factory.mktemp("user"), index)
    somebody.environments("env", "pommego")
    return somebody


WHICH = "import pommego, pommego.server, sys; print(pommego.__version__, pommego.server.find_binary())"


@built
def test_pip_installs(user: User) -> None:
    version, program = user.run("python", "-c", WHICH).split()
    assert (version, program.startswith(str(user.folder / "env"))) == (VERSION, True)
    assert f"pommego {VERSION}" in user.run("pommego", "--version")


@built
def test_pip_installs_by_hashes(user: User) -> None:
    locked = FOLDER / f"pommego-{VERSION}-requirements.txt"
    python = user.environments("hashes", "--require-hashes", "-r", locked)
    assert user.run(python, "-c", WHICH).startswith(VERSION)
    other = user.folder / "other.txt"
    other.write_text(
        re.sub(r"(pommego==.*)", r"\1", re.sub(r"sha256:\w{60}", "sha256:" + "0" * 60, locked.read_text()))
    )
    with pytest.raises(AssertionError, match="DO NOT MATCH THE HASHES"):
        user.environments("hashes", "--force-reinstall", "--require-hashes", "-r", other)


@built
def test_uv_adds(user: User) -> None:
    uv = REPOSITORY / ".venv-tools" / "bin" / "uv"
    project = user.folder / "project"
    user.run(uv, "init", "--quiet", "--bare", "--python", sys.executable, project)
    user.run(uv, "add", "--quiet", "--directory", project, "--index", user.index, "pommego[pettingzoo]")
    assert user.run(uv, "run", "--quiet", "--directory", project, "python", "-c", WHICH).startswith(VERSION)
    assert user.run(uv, "run", "--quiet", "--directory", project, "python", "-c", "import pettingzoo") == ""


@built
def test_trains_and_evaluates(user: User) -> None:
    user.environments("env", "pommego[data,pettingzoo]")
    user.run("python", "-m", "pommego.examples", "copy", "imitation")
    asked = ["--decisions", "20000", "--epochs", "1", "--matches", "20", "--points", "1", "--out", "run"]
    user.run("python", "imitation.py", *asked)
    assert (user.folder / "run" / "progress.jsonl").read_text()
    judged = user.run(
        "python",
        "-c",
        "import numpy as np, pommego, pommego.pettingzoo\n"
        "def bomb(obs, info): return np.where(info['action_mask'][:, 5] == 1, 5, 0)\n"
        "print(pommego.evaluate(bomb, 'OneVsOne-v0', 'simple', games=20))",
    )
    assert "20 games" in judged
    print(judged)


@built
def test_plays_in_the_browser(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A match to its end; without Chromium the page is only requested."""
    monkeypatch.setenv("PATH", user.environment["PATH"])
    for name in ("POMMEGO_BINARY", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    program, record = user.folder / "env" / "bin" / "pommego", user.folder / "mine.jsonl"
    with browser.match(program, *DUEL, "--seed", "7", "--record", record) as (_, address):
        with urllib.request.urlopen(address, timeout=20) as page:
            assert page.status == 200
        if shutil.which("chromedriver") is None:
            return
        window = browser.Browser()
        begun(window, address)
        dies(window)
        browser.until(lambda: text(window, "verdict") == "You lost")
        window.close()
    assert json.loads(record.read_text())["policies"] == ["human", "static"]


@built
def test_reads_the_docs(user: User) -> None:
    with tarfile.open(FOLDER / f"pommego-{VERSION}-docs.tar.gz") as archive:
        archive.extractall(user.folder, filter="data")
    page = user.folder / "site" / VERSION / "docs" / "tutorial.html"
    text = page.read_text()
    assert "Tutorial" in text
    loaded = re.findall(r'<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="?([^" >]+)', text)
    assert loaded and not [url for url in loaded if url.startswith(("http:", "https:", "//"))]
    for url in loaded:
        assert (page.parent / url.split("#")[0].split("?")[0]).exists(), url
    if shutil.which("chromedriver"):
        window = browser.Browser()
        window.open(page.as_uri(), "h1")
        assert window.run("return document.querySelector('h1').textContent").startswith("Tutorial")
        window.close()
