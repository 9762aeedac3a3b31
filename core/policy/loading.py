"""Policies by what names them: `smollm2`, a folder of a model from elsewhere, or one that a policy was saved in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from adidem.core.errors import ConfigError
from adidem.core.policy.codecs import load_codec
from adidem.core.policy.contracts import Codec
from adidem.core.policy.quiet import quiet
from adidem.core.policy.smollm2 import NAME, smollm2_folder
from adidem.core.policy.stored import FILE, Card, read_card

if TYPE_CHECKING:
    from adidem.core.policy.model import ModelPolicy

CONFIG = "config.json"


def load_policy(
    spec: str,
    *,
    adapter: Any = None,
    dtype: str = "float32",
    device: str = "cpu",
    checkpointing: bool = False,
    detach: bool = False,
    turn_tokens: int | None = None,
    record_tokens: int | None = None,
) -> ModelPolicy:
    """The policy of `smollm2` or of a folder (`hf:` before it or not), on that device.

    With `adapter` (its `rank`, `alpha` and `targets`) a LoRA adapter is trained, all weights otherwise; a folder that
    holds an adapter goes on with that one. `turn_tokens` and `record_tokens` are the most tokens of a turn and of a
    record, where the codec lets them be told.

    Raises:
        ConfigError: there is no such folder, it holds no policy, or its base is gone.
    """
    base, folder, card = _found(spec)
    codec = _limited(load_codec("chat" if card is None else card.codec, folder), turn_tokens, record_tokens)
    options = {"detach": detach, "checkpointing": checkpointing}
    policy = _on_weights(folder, base, card, codec, adapter, dtype, device, options)
    if card is not None and card.value:
        policy.load_value(folder)
    return policy


def known_policy(spec: str) -> Card | None:
    """What a spec names, without loading it: its card, None for a model from elsewhere. Raises ConfigError."""
    return _found(spec, convert=False)[2]


def _found(spec: str, *, convert: bool = True) -> tuple[str, Path, Card | None]:
    """How the base is named, the folder, and what the folder says of itself."""
    name = spec.removeprefix("hf:").strip()
    if name == NAME:
        return NAME, smollm2_folder() if convert else Path(), None
    folder = Path(name).expanduser().resolve()
    if not folder.is_dir():
        raise ConfigError(
            f"hf:{name}: there is no such folder; write hf:{NAME}, or the path of a model, of an adapter or of a "
            "policy that was trained here (models are not fetched: download one first)"
        )
    card = read_card(folder)
    if card is None and not (folder / CONFIG).is_file():
        inside = (
            f"; the policy of the training run in it is hf:{name}/policy"
            if (folder / "policy" / FILE).is_file()
            else ""
        )
        raise ConfigError(f"hf:{name}: the folder holds neither adidem.json nor {CONFIG}: it is no model{inside}")
    return str(folder), folder, card


def _limited(codec: Codec, turn_tokens: int | None, record_tokens: int | None) -> Codec:
    """The codec with these limits, where it has such."""
    limited = getattr(codec, "limited", None)
    if limited is None:
        return codec
    found: Codec = limited(turn_tokens, record_tokens)
    return found


def _on_weights(
    folder: Path,
    base: str,
    card: Card | None,
    codec: Codec,
    adapter: Any,
    dtype: str,
    device: str,
    options: dict[str, bool],
) -> ModelPolicy:
    from adidem.core.policy.adapter import AdapterPolicy
    from adidem.core.policy.weights import WeightsPolicy

    if card is not None and card.kind == "adapter":
        assert card.base is not None
        return AdapterPolicy(_with_adapter(card.base, folder, dtype, device), codec, card.base, **options)
    model = load_model(folder, dtype, device)
    if adapter is None:
        return WeightsPolicy(model, codec, **options)
    return AdapterPolicy(_fresh_adapter(model, adapter), codec, base, **options)


def load_model(folder: Path, dtype: str = "float32", device: str = "cpu") -> Any:
    """A model's weights from a folder: never fetched, never from a pickle, never with code of its own. Raises
    ConfigError."""
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM

    try:
        with quiet():
            model: Any = AutoModelForCausalLM.from_pretrained(
                folder, dtype=getattr(torch, dtype), local_files_only=True, use_safetensors=True
            )
            return model.to(device)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ConfigError(
            f"{folder}: the model cannot be loaded: {_broken(folder)}{' '.join(str(error).split())[:300]}"
        ) from error


def _broken(folder: Path) -> str:
    """The first of a folder's files of weights that cannot be opened, to be said before the error."""
    from safetensors import SafetensorError, safe_open

    for file in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(file, framework="pt"):
                pass
        except (OSError, SafetensorError):
            return f"{file.name}: "
    return ""


def _with_adapter(base: str, folder: Path, dtype: str, device: str) -> Any:
    """An adapter on its base. Raises ConfigError where either cannot be had."""
    from peft import PeftModel
    from safetensors import SafetensorError

    try:
        _, weights, _ = _found(base)
    except ConfigError as error:
        raise ConfigError(f"{folder}: its base is gone: {error}") from error
    model = load_model(weights, dtype, device)
    try:
        with quiet():
            return PeftModel.from_pretrained(model, folder, is_trainable=True)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ConfigError(
            f"{folder}: the adapter cannot be loaded: {_broken(folder)}{' '.join(str(error).split())[:300]}"
        ) from error


def _fresh_adapter(model: Any, adapter: Any) -> Any:
    """A LoRA adapter that changes nothing yet, on all linear layers where no targets are named. Raises ConfigError."""
    import torch
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=adapter.rank,
        lora_alpha=adapter.alpha,
        target_modules=list(adapter.targets) or "all-linear",
        lora_dropout=0.0,
        bias="none",
        task_type="CAUSAL_LM",
    )
    try:
        with quiet(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # the same start for the same settings
            return get_peft_model(model, config)
    except ValueError as error:
        raise ConfigError(f"policy.adapter: {' '.join(str(error).split())[:300]}") from error
