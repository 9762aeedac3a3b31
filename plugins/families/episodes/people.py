"""Who the two are, and what each knows of the other before they talk, by how they stand to each other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from attrs import frozen

from adidem.core.language.patterns import Pattern

_FILE = Path(__file__).parents[1] / "sotopia.yaml"
_FIELD = Pattern(r"\{(\w+)\}")
_LIST = Pattern(r"[\[\]'\"]")
_SECRETS = Pattern(r"(?:[\w’' -]+?['’]s?\s+)?secrets?\s*:\s*", 2)
_DOTS = Pattern(r"\.{2,}|\.\s+\.")
_WORDS = Pattern(r"[\s-]+")


@frozen
class Person:
    """One of the two: the name, who they are at first sight (`who`), what everybody who knows them knows (`public`),
    all but the secret (`whole`), and the secret. Texts without a full stop at the end."""

    name: str
    who: str = ""
    public: str = ""
    whole: str = ""
    secret: str = ""


@cache
def texts() -> Mapping[str, Any]:
    """The sentences of sotopia.yaml."""
    read: Mapping[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return read


def level(value: Any) -> int | None:
    """A relationship, 0 to 5, of its number or a name; None where nothing is said.

    Raises:
        ValueError: it is neither; the message names it and what is known.
    """
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and value in range(len(texts()["relationships"])):
        return int(value)
    word = "_".join(_WORDS.split(str(value).strip().lower().removeprefix("relationshiptype.")))
    for number, entry in enumerate(texts()["relationships"]):
        if word == str(number) or word in entry["names"]:
            return number
    known = ", ".join(entry["names"][0] for entry in texts()["relationships"])
    raise ValueError(f"relationship {value!r} is none of 0 to 5, {known}")


def relation(number: int | None) -> str | None:
    """A relationship as both are told it, or None where nothing is said."""
    return None if number is None else str(texts()["relationships"][number]["shown"])


def pair(number: int | None) -> str:
    """What two who stand to each other like that are called."""
    return "people" if number is None else str(texts()["relationships"][number]["pair"])


def about(person: Person, other: Person, number: int | None) -> str:
    """Who somebody is to the other before they talk."""
    template = texts()["unknown"] if number is None else texts()["relationships"][number]["about"]
    told = {"other": other.name, "public": person.public or person.who, "whole": person.whole or person.who}
    return str(template.format(**told).strip() or texts()["unknown"].format(**told))


def from_profile(profile: Mapping[str, Any]) -> Person:
    """A person of SOTOPIA's profile fields; none of them is needed but a name.

    Raises:
        ValueError: there is no name.
    """
    name = " ".join(str(profile.get(key) or "").strip() for key in ("first_name", "last_name")).strip()
    if not name:
        raise ValueError("a profile has no first_name and no last_name")
    known = {key: _flat(value) for key, value in profile.items()}
    who = _who(known)
    public = _sentences(who, texts()["profile"]["public"], known)
    whole = _sentences(public, texts()["profile"]["personal"], known)
    return Person(name, who, public, whole, known.get("secret", ""))


def from_background(name: str, background: str) -> Person:
    """A person of SOTOPIA's running text, its part about secrets kept apart."""
    text = background.strip()
    found = _SECRETS.search(text)
    secret = text[found.end() :].strip() if found else ""
    whole = (text[: found.start()] if found else text).strip().rstrip(".")
    whole = whole.removeprefix(f"{name} is ")
    return Person(name, whole.partition(". ")[0], whole, whole, secret)


def _who(known: Mapping[str, str]) -> str:
    age, occupation = known.get("age", ""), known.get("occupation", "")
    if age and occupation:
        article = "an" if age.startswith(("8", "11", "18")) else "a"
        return str(texts()["who"]).format(article=article, age=age, occupation=occupation.lower())
    return occupation.lower()


def _sentences(before: str, templates: list[str], known: Mapping[str, str]) -> str:
    filled = (t.format(**known) for t in templates if all(known.get(key) for key in _FIELD.findall(t)))
    said = [text.strip().rstrip(".") for text in (before, *filled)]
    return _DOTS.sub(".", ". ".join(text for text in said if text))


def _flat(value: Any) -> str:
    """A profile's value as text; lists are written in several ways."""
    if isinstance(value, list | tuple):
        return ", ".join(_flat(part) for part in value)
    if value is None:
        return ""
    text = " ".join(str(value).split())
    return _LIST.sub("", text) if text.startswith("[") and text.endswith("]") else text
