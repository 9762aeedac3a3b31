"""Several processes that train one policy (torchrun): each plays and scores its share, all take the same step."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import frozen

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")


@frozen
class Processes:
    """Which of how many processes this one is. Alone, every member does nothing."""

    rank: int = 0
    count: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the one that writes files."""
        return self.rank == 0

    def share(self, items: Sequence[T]) -> list[T]:
        """This process's items: every `count`-th, so that a sorted sequence is shared evenly."""
        return list(items[self.rank :: self.count])

    def gathered(self, items: Sequence[T]) -> list[T]:
        """The shares of all processes, put together in the order of the whole."""
        if self.count == 1:
            return list(items)
        import torch.distributed as dist

        parts: list[Any] = [None] * self.count
        dist.all_gather_object(parts, list(items))
        found: list[T] = []
        for place in range(max(map(len, parts))):
            found += [part[place] for part in parts if place < len(part)]
        return found

    def summed(self, tensors: Iterable[Tensor]) -> None:
        """Each tensor becomes the sum of all processes' tensors."""
        if self.count == 1:
            return
        import torch
        import torch.distributed as dist

        kept = list(tensors)
        flat = torch.cat([tensor.reshape(-1).double() for tensor in kept])
        dist.all_reduce(flat)
        start = 0
        for tensor in kept:
            tensor.copy_(flat[start : start + tensor.numel()].view_as(tensor))
            start += tensor.numel()

    def wait(self) -> None:
        """Until all have come here."""
        if self.count > 1:
            import torch.distributed as dist

            dist.barrier()


ALONE = Processes()


def device_of(asked: str) -> str:
    """The device of that name, of `auto` a GPU where there is one; each process that torchrun started on a machine gets
    its own, in turn."""
    import torch

    kind = ("cuda" if torch.cuda.is_available() else "cpu") if asked == "auto" else asked
    if kind != "cuda" or "LOCAL_RANK" not in os.environ:
        return kind
    place = int(os.environ["LOCAL_RANK"]) % max(torch.cuda.device_count(), 1)
    torch.cuda.set_device(place)
    return f"cuda:{place}"


def joined() -> Processes:
    """The processes that torchrun started, connected; ALONE where it did not. What lies on a GPU goes by nccl, all else
    by gloo: outcomes and sums are no tensors of a GPU."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count <= 1:
        return ALONE
    import torch
    import torch.distributed as dist

    if not dist.is_initialized():
        dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
    return Processes(dist.get_rank(), count)
