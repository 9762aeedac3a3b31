"""Codecs by the name that a checkpoint gives: how the tokens of its policy are read and written."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from adidem.core.errors import UnknownName
from adidem.core.policy.contracts import Codec

CODECS = {"chat": "adidem.core.agents.codec", "tongue": "adidem.core.policy.tongue"}
"""Modules that hold a `load(folder) -> Codec`. A checkpoint names one of these and never a module of its own choice:
a folder of weights is data that others wrote."""


def load_codec(name: str, folder: Path) -> Codec:
    """The codec of that name from what it saved in a folder.

    Raises:
        UnknownName: there is no such codec.
        ConfigError: the folder lacks what it needs, or holds something else.
    """
    if name not in CODECS:
        raise UnknownName("codec", name, CODECS)
    codec: Codec = import_module(CODECS[name]).load(folder)
    return codec
