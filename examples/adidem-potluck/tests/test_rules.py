"""Each rule of a potluck, and how it is heard."""

import pytest
from adidem_potluck import ears
from adidem_potluck.rules import PotluckRules
from adidem_potluck.terms import Table

from adidem.core.domain import Condition, Public, Role, World

DISHES = {
    "lentil curry": {"course": "main", "contains": ["coconut", "cumin"]},
    "leek quiche": {"course": "main", "contains": ["eggs", "cream"]},
    "plum cake": {"course": "dessert", "contains": ["eggs", "almonds"]},
}
PUBLIC = Public(
    "A supper.", "Who brings what?", (Role("first", "Ana", ""), Role("second", "Ben", "")), {"dishes": DISHES}
)


def broken(ana, ben, *conditions):
    world = World("a", PUBLIC, tuple(Condition(*condition) for condition in conditions))
    brings = {name: dish for name, dish in (("Ana", ana), ("Ben", ben)) if dish is not None}
    return [(v.rule, v.seat) for v in PotluckRules().check(world, Table(brings))]


def test_a_main_dish_and_a_dessert_that_both_can_make_and_eat_break_no_rule():
    known = [("first", "makes", ["lentil curry"]), ("second", "makes", ["plum cake"]), ("first", "allergy", "cream")]
    assert broken("lentil curry", "plum cake", *known) == []


@pytest.mark.parametrize("dish", ["soup", None])
def test_listed_is_broken_by_what_is_no_dish(dish):
    assert broken("lentil curry", dish) == [("listed", None)]


def test_courses_is_broken_by_two_of_one_kind():
    assert broken("lentil curry", "leek quiche") == [("courses", None)]
    assert broken("lentil curry", "lentil curry") == [("courses", None)]


def test_makes_is_of_the_one_who_cannot():
    assert broken("lentil curry", "plum cake", ("second", "makes", ["leek quiche"])) == [("makes", "second")]


def test_allergy_is_of_the_one_who_has_it_whoever_brings_the_dish():
    assert broken("lentil curry", "plum cake", ("first", "allergy", "eggs")) == [("allergy", "first")]
    assert broken("leek quiche", "plum cake", ("first", "allergy", "eggs")) == [("allergy", "first")] * 2


@pytest.mark.parametrize(
    ("text", "brings"),
    [
        ("I'll bring the plum cake if you bring the lentil curry.", {"Ana": "plum cake", "Ben": "lentil curry"}),
        ("Ana brings the leek quiche and Ben brings the plum cake.", {"Ana": "leek quiche", "Ben": "plum cake"}),
        ("I'll bring the plum cake.", None),
        ("I bring the plum cake or I bring the leek quiche, and you bring the lentil curry.", None),
    ],
)
def test_a_plan_is_heard_where_each_has_one_dish(text, brings):
    assert [plan.terms.brings for plan in ears.hear(text, PUBLIC, "first").plans] == (
        [] if brings is None else [brings]
    )


def test_what_somebody_can_make_and_cannot_eat_is_heard():
    heard = ears.hear("I can make the plum cake or the lentil curry. I'm allergic to eggs.", PUBLIC, "second")
    assert [(f.kind, f.value) for f in heard.facts] == [
        ("makes", ["lentil curry", "plum cake"]),
        ("allergy", "eggs"),
    ]
