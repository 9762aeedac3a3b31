"""`adidem cache`: the kept answers of models."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from adidem.core.errors import ConfigError

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object.")]


@app.command()
def stats(as_json: AsJson = False) -> None:
    """Show where answers are kept, how many of which model, and how large the file is."""
    import sqlite3

    from adidem.core.llm.cache import AnswerCache

    cache = AnswerCache()
    try:
        found = cache.contents()
    except sqlite3.Error as error:
        raise ConfigError(f"{cache.file} cannot be read: {error}; `adidem cache clear` deletes it") from error
    if as_json:
        said = {"file": str(found.file), "bytes": found.size, "answers": sum(found.answers.values())}
        typer.echo(json.dumps({**said, "by_model": found.answers}))
        return
    typer.echo(f"{found.file}: {sum(found.answers.values())} answers, {found.size / 1e6:.1f} MB")
    for model, count in found.answers.items():
        typer.echo(f"  {model}: {count}")


@app.command()
def clear() -> None:
    """Delete all kept answers."""
    from adidem.core.llm.cache import AnswerCache

    cache = AnswerCache()
    typer.echo(f"{cache.file}: {cache.clear() / 1e6:.1f} MB deleted")


@app.callback()
def cache() -> None:
    """Answers of judges (and of agents with `cache: true`) that need not be asked again."""
