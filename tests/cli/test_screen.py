"""Tables lose no figure however narrow the terminal, and usage errors are one line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ADIDEM = Path(sys.executable).with_name("adidem")


@pytest.mark.parametrize("columns", ["40", "80", "100"])
def test_no_figure_is_cut_off(cli, meeting, monkeypatch, columns):
    cli("run", "hico", *meeting, "--barrier", "semantic_vagueness:0.5", "--out", "r", "--quiet")
    monkeypatch.setenv("COLUMNS", columns)
    shown = cli("report", "r").stdout
    table = shown.partition("in brackets")[0]
    assert "…" not in table
    assert re.search(r"^ ?all( without a)?( barrier)? +\d+ +\d+(\.\d)?( \[\d+, \d+\])? ", table, re.M), table


@pytest.mark.parametrize("words", [("run", "hico", "--foo"), ("--foo",), ("run",), ("run", "hico", "--limit", "x")])
def test_a_usage_error_is_one_line(cli, words):
    said = cli(*words, code=2).stderr
    assert said.startswith("adidem: ")
    assert said.count("\n") == 1
    assert "--help" in said


def test_an_output_that_is_full_is_one_line_and_a_closed_one_is_no_error(cli, meeting):
    cli("run", "hico", *meeting, "--out", "r", "--quiet")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [ADIDEM, "report", "r", "--format", "json"], check=False, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (1, "adidem: standard output: No space left on device\n")
    read, write = os.pipe()
    os.close(read)
    words = [ADIDEM, "run", "hico", *meeting, "--limit", "4", "--out", "s", "--quiet"]
    done = subprocess.run(words, check=False, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")
