"""A scenario made neutral by a model, once for each text: what it wrote is kept on disk, and read back ever after."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from adidem.core.contracts import Ask
from adidem.core.errors import ConfigError, ModelFailure
from adidem.core.neutral.private import private_of
from adidem.core.neutral.rules import Matter, by_rules, gives_away, sentences

_PROMPT = Path(__file__).with_name("prompt.j2")
TOKENS = 1024
"""Most tokens of the sentence where the settings say nothing: models that reason need the room."""

LONGEST = 400
"""Characters of a sentence that is still a short one."""


def folder() -> Path:
    """Where neutral texts are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("adidem") / "neutral"


async def by_model(ask: Ask, model: str, matter: Matter) -> str:
    """What the model writes for a text: from the cache where it was asked before, else asked once and kept. Whatever of
    either goal is still in it is taken out by the rules, since one text may serve several pairs of goals.

    Raises:
        ModelFailure: no usable answer came.
    """
    file = _file(model, matter.text)
    if not file.exists():
        answer = await ask([{"role": "user", "content": _prompt(matter.text)}])
        said = " ".join(answer.text.split()).strip().strip('"')
        if not said or len(said) > LONGEST:
            raise ModelFailure("malformed", f"{model}: not one short sentence: {said[:80]!r}")
        _keep(file, sentences(said)[0])
    return _checked(file.read_text(encoding="utf-8"), matter)


def kept(model: str | None, matter: Matter) -> str:
    """What the model wrote for a text when it was asked.

    Raises:
        ConfigError: it never was; the command that asks it is named.
    """
    if model is None:
        raise ConfigError("neutral: model needs to know which: set families.sotopia.model to a model")
    file = _file(model, matter.text)
    if not file.exists():
        asks = f"adidem neutralize --data PATH --model {model}"
        raise ConfigError(f"{model} was never asked for a neutral form of {matter.text[:60]!r}: run `{asks}` first")
    return _checked(file.read_text(encoding="utf-8"), matter)


def _checked(text: str, matter: Matter) -> str:
    goals = [private_of(goal) for goal in matter.goals]
    if not gives_away(text, goals):
        return text
    return by_rules(Matter(text, matter.goals, matter.pair)).text


def _file(model: str, text: str) -> Path:
    key = sha256("\0".join((model, _PROMPT.read_text(encoding="utf-8"), text)).encode()).hexdigest()
    return folder() / f"{key[:32]}.txt"


def _prompt(text: str) -> str:
    import jinja2

    template = jinja2.Template(_PROMPT.read_text(encoding="utf-8"), autoescape=False, undefined=jinja2.StrictUndefined)
    return str(template.render(text=text)).strip()


def _keep(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    written = file.with_suffix(".part")
    written.write_text(text, encoding="utf-8")
    written.replace(file)
