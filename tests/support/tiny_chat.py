"""A tiny model that chats: byte by byte, with the ChatML tokens and any chat template."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adidem.core.policy.tiny import Shape, tiny_model

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
STRIPPING = CHATML.replace(
    "{{ m.content }}", "{{ m.content.split('</think>')[-1] if m.role == 'assistant' else m.content }}"
)
NO_SYSTEM = (
    "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system here') }}{% endif %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
COUNTING = CHATML.replace("{{ m.content }}", "{{ loop.index }} of {{ messages|length }}: {{ m.content }}")
SHAPE = Shape(width=32, layers=2, heads=4, inner=48, positions=8192)


def tokenizer(template: str | None = CHATML) -> Any:
    """Every byte is a token; three more delimit."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE(vocab={letter: at for at, letter in enumerate(letters)}, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    raw.add_special_tokens([AddedToken(each, special=True) for each in ("<|im_start|>", "<|im_end|>", "<|end|>")])
    made = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|im_end|>")
    made.chat_template = template
    return made


def write_chat_model(folder: Path, *, seed: int = 0, template: str | None = CHATML) -> Path:
    """A model from elsewhere, as far as a folder shows it: weights, configuration, tokenizer."""
    speaks = tokenizer(template)
    tiny_model(len(speaks), SHAPE, seed=seed).save_pretrained(folder)
    speaks.save_pretrained(folder)
    return folder
