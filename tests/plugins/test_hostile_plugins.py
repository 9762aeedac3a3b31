"""Plugins whose errors, words and streams are hostile: each is left out and named, and what is asked for is printed."""

import json
import subprocess
import sys

import pytest

from adidem.core.containment import contained
from adidem.core.errors import ConfigError

HOSTILE = {
    "a message that raises": (
        "class Mute(Exception):\n    def __str__(self): raise RuntimeError('no')\nraise Mute\n",
        "Mute: its message cannot be read: RuntimeError (bad.py:3)",
    ),
    "half a character": ("raise ValueError('a \\ud800 b')", "ValueError: a ? b (bad.py:1)"),
    "controls": ("raise ValueError('a\\0 \\u202eb \\x1b[31mc')", "ValueError: a b c (bad.py:1)"),
    "a class of its own": ("class Own(BaseException): pass\nraise Own('out')", "Own: out (bad.py:2)"),
    "an end of generators": ("raise GeneratorExit('g')", "GeneratorExit: g (bad.py:1)"),
    "a group": ("raise BaseExceptionGroup('many', [GeneratorExit()])", "BaseExceptionGroup: many (1 sub-exception)"),
    "names that raise": ("def __dir__(): raise GeneratorExit('dir')", "GeneratorExit: dir (bad.py:1)"),
    "a hook that ends generators": (
        "import adidem\n@adidem.hookimpl\ndef adidem_register_judges(register): raise GeneratorExit('hook')",
        "adidem_register_judges raised GeneratorExit: hook (bad.py:3)",
    ),
    "half a character in Python that is none": ("raise SyntaxError('\\ud800 \\x1b[1mno')", "SyntaxError: ? no"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_a_plugin_raises_is_one_line_that_can_be_shown(case, cli, tmp_path, toy):
    """In the table, in JSON, in a warning and where --strict-plugins refuses; the plugin beside it works."""
    text, told = HOSTILE[case]
    (tmp_path / "bad.py").write_text(text)
    words = ["--plugin", "bad.py", "--plugin", toy]
    assert told in cli("plugins", *words).stdout
    *_, row = json.loads(cli("plugins", "--json", *words).stdout)
    assert (row["kind"], row["status"], row["error"].startswith(told)) == ("plugin", "broken", True)
    assert cli("schema", *words).stderr.startswith(f"adidem: warning: --plugin bad.py is left out: {told}")
    assert told in cli("plugins", "--strict-plugins", *words, code=2).stderr
    assert "family   toy" in cli("plugins", *words).stdout


def test_an_interrupt_while_a_plugin_is_loaded_stays_one(cli, tmp_path):
    (tmp_path / "bad.py").write_text("raise KeyboardInterrupt")
    assert cli("plugins", "--plugin", "bad.py", code=130).stdout == ""


def test_a_component_whose_name_raises_is_left_out(load_only, write, toy):
    bad = "import adidem\nclass Odd:\n    @property\n    def name(self): raise GeneratorExit\n"
    bad += "@adidem.hookimpl\ndef adidem_register_judges(register): register(Odd())\n"
    setup = load_only(write("bad.py", bad), toy)
    assert [(problem.kind, problem.name) for problem in setup.problems] == [("judge", "?")]
    assert list(setup.components.judges) == ["nod"]


LOUD = """
import sys
print("words while importing")
sys.stdout.buffer.write(b"bytes while importing\\n")
sys.stdout.close()
sys.stderr.close()
"""


@pytest.fixture
def loud(tmp_path, header, parts):
    """A plugin that prints wherever it is loaded, and closes both streams wherever it can."""
    ends = "print('words in a hook'); import sys; sys.stdout.close(); sys.stderr.close(); register(Flat)"
    (tmp_path / "loud.py").write_text(LOUD + header + parts["trainer"].replace("register(Flat)", ends))
    (tmp_path / "next.py").write_text("print('words of the next')\n" + header + parts["barrier"])
    return ["--plugin", "loud.py", "--plugin", "next.py"]


@pytest.mark.parametrize("verb", [("plugins", "--json"), ("run", "hico", "--limit", "1", "--out", "r", "--json")])
def test_what_a_plugin_prints_while_it_is_loaded_goes_to_standard_error(verb, loud, tmp_path):
    """JSON stays JSON; neither stream of ours is closed."""
    command = [sys.executable, "-c", "from adidem.core.cli.main import main; main()", *verb, *loud]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    json.loads(done.stdout)
    for said in ("words while importing", "bytes while importing", "words in a hook", "words of the next"):
        assert done.stderr.count(said) == 1
    assert "left out" not in done.stderr


def test_a_fault_in_the_midst_of_a_run_is_told_as_well():
    """What the parts of a run contain goes by the same words."""

    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    def broken():
        raise Mute

    with pytest.raises(ConfigError, match=r"^family 'x': Mute: its message cannot be read: RuntimeError \("):
        contained("family 'x'", broken)
