"""Measures a newcomer's first minutes: from `pip install` of the wheel to an agent that wins and its picture.

    make wheel && python benchmarks/newcomer.py
    python benchmarks/newcomer.py --packages .venv-integrations/lib/python3.11/site-packages

All of it happens in an empty environment in a folder of its own, where there is no Go; the frameworks are
downloaded (gigabytes, with PyTorch), or taken from --packages. The code that trains is the tutorial's.
Prints a table of what takes how many seconds.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

ROLLOUT = """
import pommego
with pommego.make_vec("PommeFFACompetition-v0", 64, opponents=["simple"] * 3) as envs:
    obs, info = envs.reset(seed=0)
    for _ in range(100):
        obs, reward, terminated, truncated, info = envs.step(envs.sample_actions(info["action_mask"]))
print("100 steps of 64 games")
"""

EVALUATE = """
import pommego
from sb3_contrib import MaskablePPO
model = MaskablePPO.load("duel", device="cpu")
def trained(obs, info):
    return model.predict(obs, action_masks=info["action_mask"])[0]
"""


def training(steps: int) -> str:
    """Return the tutorial's block that trains an agent."""
    page = (REPOSITORY / "docs" / "tutorial.md").read_text()
    (block,) = re.findall(
        r"^```python needs=sb3_contrib,torch\n(.*?model\.learn.*?)^```$", page, re.DOTALL | re.MULTILINE
    )
    if "total_timesteps=300_000" not in block:
        raise SystemExit("newcomer: the tutorial no longer trains for 300,000 steps")
    return block.replace("total_timesteps=300_000", f"total_timesteps={steps}")


class Newcomer:
    """Somebody with an empty environment."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._env = folder, folder / "env"
        venv.create(self._env, with_pip=True)
        path = os.pathsep.join([str(self._env / "bin"), "/usr/bin", "/bin"])
        kept = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(("PIP_", "SSL_")) or "proxy" in name.lower()
        }
        self._environ = {"PATH": path, "HOME": str(folder)} | kept

    def does(self, what: str, *arguments: str) -> None:
        """Run Python with these arguments, and print how long it took and the last line it said."""
        begin = time.perf_counter()
        command = [str(self._env / "bin" / "python"), *arguments]
        done = subprocess.run(
            command, cwd=self._folder, env=self._environ, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{what}: {done.stderr}")
        said = (done.stdout.strip().splitlines() or [""])[-1]
        print(f"| {what} | {time.perf_counter() - begin:.1f} | {said} |", flush=True)

    def takes(self, packages: Path) -> None:
        """Let it import what is in another environment."""
        (site,) = (self._env / "lib").glob("python*/site-packages")
        (site / "taken.pth").write_text(f"{packages.resolve()}\n")


def main(argv: list[str] | None = None) -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheel", type=Path, help="by default the newest in dist/")
    parser.add_argument(
        "--packages", type=Path, help="a folder of installed packages to take the frameworks from"
    )
    parser.add_argument("--steps", type=int, default=300_000, help="of training")
    args = parser.parse_args(argv)
    wheel = args.wheel or max(REPOSITORY.glob("dist/*.whl"), key=lambda path: path.stat().st_mtime)
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    with tempfile.TemporaryDirectory() as folder:
        newcomer = Newcomer(Path(folder))
        print("| what | seconds | it says |\n|---|---|---|", flush=True)
        newcomer.does("`pip install pommego-*.whl`", *pip, str(wheel.resolve()))
        newcomer.does("a rollout", "-c", ROLLOUT)
        if args.packages:
            newcomer.takes(args.packages)
        else:
            newcomer.does("`pip install 'pommego-*.whl[sb3]'`", *pip, f"{wheel.resolve()}[sb3]")
        newcomer.does("training", "-c", training(args.steps))
        newcomer.does(
            "`evaluate`", "-c", EVALUATE + 'print(pommego.evaluate(trained, "OneVsOne-v0", "random"))'
        )
        newcomer.does(
            "`watch`", "-c", EVALUATE + 'pommego.watch(trained, "OneVsOne-v0", "random").save("game.gif")'
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
