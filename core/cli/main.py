"""The `adidem` command: finds the verb, imports its file alone, and turns errors into one line and an exit code."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

import adidem
from adidem.core.errors import AdidemError, UnknownName

VERBS = {
    "run": "Play a suite and score what was agreed.",
    "train": "Teach a policy by what came of its conversations.",
    "judge": "Rate the stored episodes of a run again.",
    "report": "Show the results of runs.",
    "export": "Write a run in the layouts that other tools read.",
    "view": "Look through runs and read their conversations, in a browser.",
    "states": "Probe hidden states of a model that reads a run.",
    "language": "Measure how people talked in a run, beside every score.",
    "annotate": "Write blinded sheets for people to rate by, and take finished ones back.",
    "agree": "Show how far judges and people agree.",
    "cache": "Show or delete the kept answers of models.",
    "scenarios": "Generate, certify, show and export scenarios.",
    "neutralize": "Take the goals out of scenarios and report what is left of them.",
    "new": "Write a plugin to start from: a file, or a package with its tests.",
    "check-plugin": "Try the laws of its kind on a plugin of your own.",
    "plugins": "List every component, where it comes from, and what is broken.",
    "schema": "Print the JSON Schema of registry.yaml.",
}
"""Each verb is the module `adidem.core.cli.VERB` (`_` for `-`), which holds `app`, a typer application."""

USAGE: Any = typer.BadParameter.__base__
"""UsageError, of click or of the copy of click in typer."""

FAILED, CONFIGURATION, INTERRUPTED = 1, 2, 130


class Verbs(TyperGroup):
    """Verbs by name, each imported only when it is asked for; contains the errors meant for the user."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The verbs whose file is there, in the order of a first visit."""
        return [verb for verb in VERBS if (Path(__file__).parent / f"{_module(verb)}.py").exists()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a verb. Raises UnknownName."""
        if cmd_name not in self.list_commands(ctx):
            raise UnknownName("verb", cmd_name, self.list_commands(ctx))
        command = typer.main.get_command(import_module(f"adidem.core.cli.{_module(cmd_name)}").app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Lists the verbs for --help without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl([(verb, VERBS[verb]) for verb in self.list_commands(ctx)])

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The options before the verb."""
        try:
            return super().parse_args(ctx, args)
        except USAGE as error:
            _refuse(error)

    def invoke(self, ctx: Any) -> Any:
        """Runs the verb: an error meant for the user is one line on stderr and exit code 2, an interrupt 130. An output
        that cannot be written is one line and 1; one that is closed is no error."""
        from adidem.core.report.screen import drop

        try:
            return super().invoke(ctx)
        except USAGE as error:
            _refuse(error)
        except BrokenPipeError as error:
            drop()
            raise typer.Exit(0) from error
        except OSError as error:
            said = _named(error)
            drop()
            typer.echo(f"adidem: {said}", err=True)
            raise typer.Exit(FAILED) from error
        except AdidemError as error:
            fail(error)
            raise typer.Exit(CONFIGURATION) from error
        except KeyboardInterrupt as error:
            raise typer.Exit(INTERRUPTED) from error


def _module(verb: str) -> str:
    return verb.replace("-", "_")


def fail(error: AdidemError) -> None:
    """Prints an error as one line on stderr."""
    typer.echo(f"adidem: {' '.join(str(error).split())}", err=True)


def _refuse(error: Any) -> NoReturn:
    """A usage error on one line; without any argument, the help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        raise error
    path = error.ctx.command_path if error.ctx is not None else "adidem"
    said = " ".join(_quoted(error).split()).rstrip(".")
    typer.echo(f"adidem: {said[:1].lower()}{said[1:]}; see {path} --help", err=True)
    raise typer.Exit(CONFIGURATION) from error


def _quoted(error: Any) -> str:
    """What a usage error says, an option that there is none of in quotes: a blank at its end is seen there."""
    name, said = getattr(error, "option_name", None), str(error.format_message())
    unknown = f"No such option: {name}"
    return said.replace(unknown, f"No such option: {name!r}", 1) if said.startswith(unknown) else said


def _named(error: OSError) -> str:
    """What could not be written, where that is known: an error that names no file may be any file's."""
    what = error.filename or ("standard output" if _is_of_output(error) else "something cannot be written")
    return f"{what}: {error.strerror or error}"


def _is_of_output(error: OSError) -> bool:
    """Whether standard output itself is at fault: it still is, or what was being done was to print."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        return True
    return any(frame.name == "echo" for frame in extract_tb(error.__traceback__))


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"adidem {adidem.__version__}")
        raise typer.Exit


app = typer.Typer(cls=Verbs, rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.callback(no_args_is_help=True)
def adidem_command(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
) -> None:
    """Measure, and train, language agents that end a conversation in verified agreement."""


def main() -> None:
    """The console script. Exits 0 done, 1 finished with failed episodes, 2 usage or configuration, 130 interrupted."""
    try:
        app(prog_name="adidem")
    except KeyboardInterrupt:  # between typer's own handlers
        sys.exit(INTERRUPTED)
