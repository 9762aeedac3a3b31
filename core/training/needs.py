"""What a training run is made with, besides what its recipe says: libraries, models, places to write to. All of it is
looked for before anything is computed or written."""

from __future__ import annotations

from importlib.util import find_spec

from adidem.core.errors import ConfigError, to_install
from adidem.core.llm.cache import cache_file
from adidem.core.policy.loading import known_policy
from adidem.core.policy.stored import Card
from adidem.core.training.evaluate import evaluations_of
from adidem.core.training.prepare import Ready
from adidem.core.training.recipe import PolicySettings
from adidem.core.writing import must_be_writable

ALWAYS = ("torch", "transformers", "safetensors")
"""Libraries without which nothing is trained."""


def must_be_here(ready: Ready) -> None:
    """See that a run can be made.

    Raises:
        ConfigError: a library or a model is missing, evaluation has nothing to try, or a folder cannot be written.
    """
    settings = ready.recipe.policy
    card = _card(settings)
    if ready.recipe.evaluation is not None:
        evaluations_of(ready)
    needed = [*ALWAYS, *(["peft"] if settings.adapter or (card and card.kind == "adapter") else [])]
    missing = [name for name in [*needed, *(["tensorboard"] if ready.recipe.tensorboard else [])] if not _here(name)]
    if missing:
        raise ConfigError(f"training needs {', '.join(missing)}: {to_install('train')}")
    if settings.server is not None:
        if settings.adapter is None and (card is None or card.kind != "adapter"):
            raise ConfigError("policy.server: a server samples from adapters: set policy.adapter, or sample here")
        must_be_writable(settings.server.shared, "policy.server.shared", folder=True)
    if settings.model == "tiny" and settings.start is None:
        must_be_writable(cache_file().parent / "lab", "ADIDEM_CACHE", folder=True)


def _card(settings: PolicySettings) -> Card | None:
    """What the start says of itself; None of one from elsewhere, or from scratch."""
    if settings.start is None and settings.model == "tiny":
        return None
    spec = str(settings.start) if settings.start is not None else settings.model
    name = "policy.start" if settings.start is not None else "policy.model"
    try:
        card = known_policy(spec)
        if card is not None and card.base is not None:
            known_policy(card.base)
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from error
    return card


def _here(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
