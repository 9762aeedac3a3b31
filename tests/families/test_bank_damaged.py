"""A bank that a hand has damaged: one typed error that names the line; one that was exported is read."""

import json

import pytest

from adidem.core.errors import BankError
from adidem.core.scenarios import load_bank, scenario_to_json

GOOD = scenario_to_json(load_bank("hico")[0])


def named(data, *names):
    for role, name in zip(data["public"]["roles"], names, strict=True):
        role["name"] = name


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda d: d.update(id=""), "id '' is not family/split/NN"),
        (lambda d: d.update(id="a/test/00\n"), "is not family/split/NN"),
        (lambda d: d.update(family="nope"), "is not of family 'nope'"),
        (lambda d: d["public"]["roles"][0].update(seat="second"), "must sit first and second"),
        (lambda d: named(d, "", "Ben"), "a role has no name"),
        (lambda d: named(d, "Ben", "ben"), "cannot be told apart"),
        (lambda d: named(d, "Ben Okri", "Ben"), "cannot be told apart"),
        (lambda d: d["a"][0].update(text=" "), "has no text for its owner's card"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, damage, said):
    data = json.loads(json.dumps(GOOD))
    damage(data)
    (tmp_path / "b.jsonl").write_text("\n" + json.dumps(data))
    with pytest.raises(BankError, match=r"b\.jsonl:2: ") as caught:
        load_bank(str(tmp_path / "b.jsonl"))
    assert said in str(caught.value)


def test_a_line_that_is_no_json_says_what_to_do(tmp_path):
    (tmp_path / "b.jsonl").write_text('{"a":')
    with pytest.raises(BankError, match=r"b\.jsonl:1: not JSON: .*\(column \d+\); mend or remove the line$"):
        load_bank(str(tmp_path / "b.jsonl"))


def test_a_byte_order_mark_and_the_answers_of_an_export_are_passed_over(tmp_path):
    (tmp_path / "b.jsonl").write_text(json.dumps({**GOOD, "right": {}}), encoding="utf-8-sig")
    assert load_bank(str(tmp_path / "b.jsonl")) == load_bank("hico")[:1]
