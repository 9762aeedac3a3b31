"""The laws of components as tests: a pytest plugin for authors of plugins (`pytest_plugins = ["adidem.testing"]`).

```python
@pytest.mark.laws("my_lab.plugin")          # a module, a file, or a component's name
def test_it_keeps_the_law(law):
    law()                                    # one test for each law of each component
```

`assert_laws("plugin.py")` tries them all in one test. `--law-examples N` says how many examples each law tries.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest
from attrs import frozen

if TYPE_CHECKING:
    from adidem.core.kit.law import Law
    from adidem.core.kit.subject import Subject

__all__ = ["LawOf", "assert_laws", "laws_of"]

EXAMPLES = 100


@frozen(eq=False)
class LawOf:
    """One law and one component. Calling it fails the test where the component breaks it, and skips it where the law
    does not apply."""

    law: Law
    subject: Subject

    def __call__(self) -> None:
        """Try the law. The failure tells the smallest example found and what to change."""
        __tracebackhide__ = True
        from adidem.core.kit.check import tried
        from adidem.core.kit.law import told

        verdict = tried(self.law, self.subject)
        if verdict.status == "broken":
            pytest.fail(told(verdict), pytrace=False)
        if verdict.status == "idle":
            pytest.skip(verdict.why)

    def __str__(self) -> str:
        return f"{self.subject.kind}-{self.subject.name}-{self.law.name}"


def laws_of(target: str, *, kind: str | None = None, examples: int = EXAMPLES) -> tuple[LawOf, ...]:
    """Every law of every component of a file, a module or a name. Raises `adidem.core.errors.ConfigError` where nothing
    answers to the target or it was left out as broken."""
    from adidem.core.kit.check import laws_named
    from adidem.core.kit.target import subjects

    found = subjects(target, kind=kind, examples=examples)
    return tuple(LawOf(law, subject) for subject in found for law in laws_named(subject.kind, ()))


def assert_laws(target: str, *, kind: str | None = None, examples: int = EXAMPLES) -> None:
    """Try every law of every component of a target. Raises AssertionError that tells of each that is broken."""
    from adidem.core.kit.check import tried
    from adidem.core.kit.law import told

    verdicts = (tried(each.law, each.subject) for each in laws_of(target, kind=kind, examples=examples))
    broken = [told(verdict) for verdict in verdicts if verdict.status == "broken"]
    if broken:
        raise AssertionError("\n\n".join(["", *broken]))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--law-examples N`."""
    parser.getgroup("adidem").addoption(
        "--law-examples", type=int, default=EXAMPLES, metavar="N", help="examples that each law of adidem tries"
    )


def pytest_configure(config: pytest.Config) -> None:
    """The mark `laws`."""
    config.addinivalue_line("markers", "laws(target, kind=None): the fixture `law` is each law of the target in turn")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each law of the marked target."""
    if "law" not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker("laws")
    if mark is None:
        raise pytest.UsageError(f"{metafunc.function.__name__} asks for `law`: mark it @pytest.mark.laws(TARGET)")
    examples = metafunc.config.getoption("--law-examples")
    found: Iterable[LawOf] = laws_of(*mark.args, **mark.kwargs, examples=examples)
    metafunc.parametrize("law", found, ids=str)
