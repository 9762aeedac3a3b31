"""`adidem view` as a command: what it says, what it refuses, how it ends."""

import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from typer.testing import CliRunner

from adidem.core.cli.main import app


def view(*words):
    result = CliRunner().invoke(app, ["view", *map(str, words)])
    return result.exit_code, " ".join(result.stderr.split())


@pytest.fixture
def started():
    """`started(folder, …)`: a viewer of its own process, and the address that it printed."""
    running = []

    def start(*words):
        command = [sys.executable, "-m", "adidem", "view", *map(str, words), "--port", "0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        running.append(process)
        line = process.stdout.readline()
        assert line.startswith("adidem view: http://"), line + process.stderr.read()
        return process, line.split()[2]

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def read(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
        return answer.read().decode()


@pytest.mark.slow
def test_it_serves_and_an_interrupt_is_its_ordinary_end(started, copied, runs):
    copied("shown")
    process, url = started(runs)
    assert url.startswith("http://127.0.0.1:")
    assert "shown" in read(url)
    with pytest.raises(urllib.error.HTTPError) as refused:
        read(url, Host="evil.example")
    assert refused.value.code == 421
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.slow
def test_one_run_is_opened_at_its_table(started, copied):
    _, url = started(copied("alone"))
    assert "48</b> episodes" in read(url)


@pytest.mark.slow
def test_off_loopback_the_printed_address_has_the_token(started, copied, runs):
    copied("shown")
    _, url = started(runs, "--host", "0.0.0.0", "--allow-host", "box.example")
    assert "token=" in url
    port = url.rpartition(":")[2].partition("/")[0]
    local = f"http://127.0.0.1:{port}/"
    with pytest.raises(urllib.error.HTTPError) as refused:
        read(local)
    assert refused.value.code == 401
    token = url.partition("token=")[2]
    assert "shown" in read(local, Cookie=f"adidem_view_{port}={token}", Host=f"box.example:{port}")


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    code, said = view(tmp_path / "nowhere")
    assert code == 2
    assert "there is no such folder" in said


def test_a_bad_token_and_a_bad_host_are_one_line(tmp_path):
    assert view(tmp_path, "--host", "0.0.0.0", "--token", "short")[0] == 2
    assert view(tmp_path, "--host", "host.invalid")[0] == 2


def test_without_its_libraries_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, said = view(tmp_path)
    assert code == 2
    assert "adidem view needs uvicorn: pip install -c constraints.txt -e '.[view]'" in said
