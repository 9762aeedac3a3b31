"""Prompts lie in Jinja files beside the code that uses them; text of models enters them only as values."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2


@cache
def _environment(folder: Path) -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=jinja2.select_autoescape(("html", "html.j2")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(folder: Path, name: str, /, **values: Any) -> str:
    """The template `name` of a folder, filled in and stripped. A value that is not given is an error."""
    return _environment(folder).get_template(name).render(**values).strip()
