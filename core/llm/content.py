"""What the content of a message says: text, or a list of parts, as some servers send it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adidem.core.llm.redact import encodable


def spoken(content: Any) -> tuple[str, str | None]:
    """The text, and the reasoning that stands among its parts; None where there is none. Parts that are neither (an
    image, say) are left out."""
    thoughts = [part["thinking"] for part in content if _thinks(part)] if isinstance(content, list) else []
    return encodable(_text(content)), encodable("".join(map(_text, thoughts))) or None


def _thinks(part: Any) -> bool:
    return isinstance(part, Mapping) and "thinking" in part


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = [part for part in content if not _thinks(part)] if isinstance(content, list) else []
    said = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return "".join(text for text in said if isinstance(text, str))
