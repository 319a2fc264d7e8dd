"""A headless Chromium that looks at the program's pages, for tests and for the pictures in the docs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from processes import printed

HOW = "apt-get install chromium chromium-driver, and pip install 'pommego[test]'"


def needed() -> None:
    """Skip the test where there is no browser to run it in."""
    pytest.importorskip("selenium", reason=f"looking at pages needs selenium: {HOW}")
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            pytest.skip(f"looking at pages needs {program}: {HOW}")


class Browser:
    """One browser window."""

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        # Without a sandbox, since containers have none; it opens the program's own pages alone.
        flags = ["headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"]
        # One process for all pages: to start one for each page that is opened takes a quarter of the time.
        flags += ["disable-site-isolation-trials", "disable-features=IsolateOrigins,site-per-process"]
        for flag in flags:
            options.add_argument(f"--{flag}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_script_timeout(300)
        self.window(1280, 860)

    def window(self, width: int, height: int, *, density: float = 1, dark: bool = False) -> None:
        """Be a screen of this size, in CSS pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": density, "mobile": width < 600}
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def open(self, address: str, ready: str) -> None:
        """Open a page anew and wait until an element is visible."""
        from selenium.webdriver.support.wait import WebDriverWait

        self.driver.get("about:blank")  # so that another fragment loads the page too
        self.driver.get(address)
        visible = (
            "const e = document.querySelector(arguments[0]);"
            "return Boolean(e?.checkVisibility() && e.textContent)"
        )
        WebDriverWait(self.driver, 60, 0.02).until(lambda driver: driver.execute_script(visible, ready))

    def run(self, script: str, *arguments: Any) -> Any:
        """Run the body of an async function in the page and return what it returns.

        It may use `byId`, `all` of a selector, and `until`, which waits for a condition.
        """
        wrapped = (
            "const done = arguments[arguments.length - 1], byId = id => document.getElementById(id);"
            "const all = selector => [...document.querySelectorAll(selector)];"
            "const until = async met => { while (!met()) await new Promise(requestAnimationFrame); };"
            f"(async (...given) => {{ {script} }})(...arguments)"
            ".then(done, error => done({failed: String(error.stack ?? error)}));"
        )
        got = self.driver.execute_async_script(wrapped, *arguments)
        assert not (isinstance(got, dict) and "failed" in got), got["failed"]
        return got

    def press(self, *keys: str) -> None:
        """Press keys, one after the other; of a key in brackets, with shift."""
        from selenium.webdriver import ActionChains

        shift = "\ue008"
        for key in keys:
            act = ActionChains(self.driver, duration=0)
            if key.startswith("("):
                act.key_down(shift).send_keys(key.strip("()")).key_up(shift).perform()
            else:
                act.send_keys(key).perform()

    def complaints(self) -> list[str]:
        """Take what the console has said since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Take the addresses that were asked since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith("data:")]

    def close(self) -> None:
        """Close the window."""
        self.driver.quit()


@contextmanager
def viewing(binary: Path, *arguments: str | Path) -> Iterator[str]:
    """Run `pommego view` and yield the address that it prints."""
    command = [str(binary), "view", *map(str, arguments), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield printed(process)["address"]
        finally:
            process.terminate()


@contextmanager
def match(binary: Path, *arguments: str | Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Begin a match in the browser; yields its process and the address for the first person."""
    command = [str(binary), "play", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            found = re.search(r"http://\S+", line)
            assert found, line
            yield process, found[0]
        finally:
            if process.poll() is None:
                process.terminate()


def until(true: Callable[[], Any], seconds: float = 20) -> None:
    """Wait until something is true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it has not happened in time"
        time.sleep(0.02)
