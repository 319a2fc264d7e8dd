"""Write what no other program writes of a release: the container's image and the statement.

`release.py image VERSION FOLDER DATE` packs the program of the archives in the folder, beside them.
`release.py state VERSION FOLDER COMMIT` lists all files there for verify.py.
"""

import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
from pathlib import Path
from typing import Any

import verify

CONTAINERFILE = Path(__file__).parents[1] / "deploy" / "Containerfile"
OCI = "application/vnd.oci.image."


def tarred(files: dict[str, bytes]) -> bytes:
    """Pack files, so that the same files give the same bytes."""
    with tarfile.open(fileobj=(packed := io.BytesIO()), mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.mode, member.size = 0o755 if data.startswith(b"\x7fELF") else 0o644, len(data)
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def image(version: str, folder: Path, created: str) -> bytes:
    """Pack the last stage of the Containerfile as an OCI image layout, for two architectures."""
    stage = re.split(r"^FROM .*\n", CONTAINERFILE.read_text(), flags=re.MULTILINE)[-1].replace("\\\n", "")
    said = [line.split(maxsplit=1) for line in stage.splitlines() if line and not line.startswith("#")]
    copied = [Path(f).name for key, value in said if key == "COPY" for f in value.split()[:-1] if f[0] != "-"]
    given, files = dict(said), {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}'}
    labels = dict(re.findall(r'(\S+)="(.*?)"', given["LABEL"]))
    labels |= {"org.opencontainers.image.version": version, "org.opencontainers.image.created": created}
    config = {"User": given["USER"], "StopSignal": given["STOPSIGNAL"], "Labels": labels}
    config |= {"Entrypoint": json.loads(given["ENTRYPOINT"]), "Cmd": json.loads(given["CMD"])}
    config["ExposedPorts"] = {f"{port}/tcp": {} for port in given["EXPOSE"].split()}

    def put(kind: str, data: bytes, **more: object) -> dict[str, Any]:
        digest = hashlib.sha256(data).hexdigest()
        files[f"blobs/sha256/{digest}"] = data
        return {"mediaType": OCI + kind, "digest": f"sha256:{digest}", "size": len(data), **more}

    def listed(kind: str, **parts: object) -> bytes:
        return json.dumps({"schemaVersion": 2, "mediaType": OCI + kind, **parts}).encode()

    manifests = []
    for arch in ("amd64", "arm64"):
        stem = f"pommego-{version}-linux-{arch}"
        with tarfile.open(folder / f"{stem}.tar.gz") as archive:
            layer = tarred({name: archive.extractfile(f"{stem}/{name}").read() for name in copied})
        runs_on = {"architecture": arch, "os": "linux"}
        root = {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]}
        described = json.dumps({**runs_on, "created": created, "config": config, "rootfs": root}).encode()
        layers = [put("layer.v1.tar+gzip", gzip.compress(layer, mtime=0))]
        manifest = listed("manifest.v1+json", config=put("config.v1+json", described), layers=layers)
        manifests.append(put("manifest.v1+json", manifest, platform=runs_on))
    named = {"annotations": {"org.opencontainers.image.ref.name": version}}
    both = put("index.v1+json", listed("index.v1+json", manifests=manifests), **named)
    return tarred({**files, "index.json": listed("index.v1+json", manifests=[both])})


def statement(version: str, folder: Path, commit: str) -> bytes:
    """Return an in-toto statement of which files one command made of which commit."""
    made = {"name": "release", "command": ["make", "release", f"VERSION={version}"]}
    made["materials"] = [{"name": "pommego", "digest": {"gitCommit": commit}}]
    found = verify.digests(folder)
    stated = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in found.items()],
        "predicateType": "https://in-toto.io/attestation/link/v0.3",
        "predicate": made,
    }
    return json.dumps(stated, indent=1).encode()


if __name__ == "__main__":
    command, version, folder, of = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    if command == "image":
        (folder / f"pommego-{version}-oci.tar").write_bytes(image(version, folder, of))
    else:
        (folder / verify.STATEMENT).write_bytes(statement(version, folder, of))
