"""The command line in process, in an empty folder, and a small run of the benchmark."""

from pathlib import Path

import pytest

from command_line import called


@pytest.fixture(scope="session")
def played(tmp_path_factory) -> Path:
    """Eight tasks, twice each, without and with a barrier: some verified, some not."""
    folder = tmp_path_factory.mktemp("export") / "run"
    words = ("run", "hico", "--limit", "8", "--repeats", "2", "--seed", "3", "--barrier", "semantic_vagueness")
    called(*words, "--quiet", "--out", folder)
    return folder


@pytest.fixture(scope="session")
def social(tmp_path_factory) -> Path:
    """The ten episodes of SOTOPIA's kind that ship, a scripted judge on the seven dimensions."""
    folder = tmp_path_factory.mktemp("export") / "social"
    called("run", "sotopia", "--agent", "scripted:candid", "--judge", "scripted:judge", "--quiet", "--out", folder)
    return folder
