"""A headless Chromium, Debian's, for tests that look at a page as a person does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

IN_BROWSER = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Debian's chromium and chromium-driver are not installed"),
]
"""The marks of a module of such tests."""

FLAGS = """--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update
--disable-sync --no-first-run --disable-dev-shm-usage""".split()


@contextmanager
def chromium(profile: Path, *flags: str) -> Iterator[Any]:
    """A browser with a profile of its own, which keeps what its console said."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={profile}", *flags):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def complaints(browser: Any) -> list[str]:
    """What the console says, the favicon left out, which a browser asks for by itself."""
    return [entry["message"] for entry in browser.get_log("browser") if "favicon" not in entry["message"]]
