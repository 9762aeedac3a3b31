"""Several processes take the same step as one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from adidem.core.training.metrics import read
from adidem.core.training.parallel import ALONE, Processes, device_of

SCRIPT = Path(__file__).resolve().parents[1] / "support" / "two_processes.py"
LAUNCH = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


def test_alone_everything_is_as_it_was() -> None:
    """No share, nothing gathered, nothing summed."""
    assert ALONE.share([1, 2, 3]) == ALONE.gathered([1, 2, 3]) == [1, 2, 3]
    tensor = torch.ones(2)
    ALONE.summed([tensor])
    assert tensor.tolist() == [1, 1]


def test_shares_are_disjoint_and_whole() -> None:
    """Every second one, so that a sorted sequence is shared evenly."""
    parts = [Processes(rank, 2).share(range(5)) for rank in range(2)]
    assert parts == [[0, 2, 4], [1, 3]]


def test_each_process_has_a_gpu_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are GPUs; a device that is told stays what it is."""
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_of("auto") == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", lambda _: None)
    assert device_of("auto") == "cuda"
    for rank, device in ((0, "cuda:0"), (1, "cuda:1"), (2, "cuda:0")):
        monkeypatch.setenv("LOCAL_RANK", str(rank))
        assert device_of("auto") == device_of("cuda") == device
    assert [device_of(name) for name in ("cpu", "cuda:1")] == ["cpu", "cuda:1"]


@pytest.mark.slow
@pytest.mark.parametrize("trainer", ["pacpo", "grpo", "self_reinforcement"])
def test_two_gloo_processes_make_the_update_of_one(trainer: str, tmp_path: Path) -> None:
    """To 1e-5, in weights; both processes end with the same weights. They have the figures of one, and no more: a KL
    that is not asked for is no 0."""
    environment = {k: v for k, v in os.environ.items() if k not in ("WORLD_SIZE", "RANK")}
    for words, folder in (([], "one"), (LAUNCH, "two")):
        (tmp_path / folder).mkdir()
        subprocess.run(
            [sys.executable, *words, str(SCRIPT), trainer, str(tmp_path / folder)],
            check=True,
            env={**environment, "OMP_NUM_THREADS": "1"},
            timeout=570,
        )
    one = torch.load(tmp_path / "one" / "weights-0-of-1.pt")
    both = [torch.load(tmp_path / "two" / f"weights-{rank}-of-2.pt") for rank in range(2)]
    for name, tensor in one.items():
        assert torch.allclose(tensor, both[0][name], atol=1e-5), name
        assert torch.equal(both[0][name], both[1][name]), name
    for a, b in zip(read(tmp_path / "one"), read(tmp_path / "two"), strict=True):
        assert set(a) == set(b)
        for name in set(a) - {name for name in a if name.startswith("seconds")}:
            assert a[name] == pytest.approx(b[name], abs=1e-4), name


@pytest.mark.slow
def test_accelerate_starts_it_as_well(tmp_path: Path) -> None:
    """Its launcher of GPUs sets what torchrun sets, also where there are none: two processes, equal weights."""
    pytest.importorskip("accelerate")
    environment = {k: v for k, v in os.environ.items() if k not in ("WORLD_SIZE", "RANK")}
    launch = ["-m", "accelerate.commands.launch", "--num_processes", "2", "--num_machines", "1", "--multi_gpu"]
    launch += ["--mixed_precision", "no", "--dynamo_backend", "no", "--main_process_port", "0"]
    subprocess.run(
        [sys.executable, *launch, str(SCRIPT), "grpo", str(tmp_path)],
        check=True,
        env={**environment, "OMP_NUM_THREADS": "1"},
        timeout=570,
    )
    one, two = (torch.load(tmp_path / f"weights-{rank}-of-2.pt") for rank in range(2))
    assert all(torch.equal(tensor, two[name]) for name, tensor in one.items())
    assert [row["update"] for row in read(tmp_path)] == [1, 2]
