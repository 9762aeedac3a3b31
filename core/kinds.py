"""The five kinds of component: what each is called, its section of registry.yaml, its hook and its contract."""

from __future__ import annotations

from attrs import frozen

from adidem.core.contracts import Barrier, Checker, Family, Judge, Trainer
from adidem.core.errors import UnknownName


@frozen
class Kind:
    """One kind of component, `family` say: its section `families`, its hook and the contract it must fulfil."""

    name: str
    section: str
    hook: str
    contract: type


KINDS = (
    Kind("family", "families", "adidem_register_families", Family),
    Kind("checker", "checkers", "adidem_register_checkers", Checker),
    Kind("barrier", "barriers", "adidem_register_barriers", Barrier),
    Kind("judge", "judges", "adidem_register_judges", Judge),
    Kind("trainer", "trainers", "adidem_register_trainers", Trainer),
)


def kind_named(name: str) -> Kind:
    """The kind of that name, singular or plural. Raises UnknownName."""
    for kind in KINDS:
        if name in (kind.name, kind.section):
            return kind
    raise UnknownName("kind", name, [kind.name for kind in KINDS])
