"""Set consent: each rule, the laws of its plan space, its pairs, its settings, and what is heard of lists."""

import re
from collections import Counter

import pytest
from attrs import evolve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from adidem.core.domain import SEATS, Condition, Fact, Public, Role, RoleCard, World
from adidem.core.records import read_record, write_record
from adidem.core.rules import Rules
from adidem.plugins.families.set_consent import Selection, SelectionRules, SetConsent

FAMILY = SetConsent()
RULES = Rules(FAMILY, FAMILY.own_checkers())
SPLITS = ("train", "dev", "test")
BANK = [scenario for split in SPLITS for scenario in FAMILY.scenarios(split, 7, None)]
MANY = [s for split, n in (("train", 64), ("dev", 24), ("test", 60)) for s in FAMILY.scenarios(split, 3, n)]
SETTINGS = [setting for split in SPLITS for setting in FAMILY.settings(split)]
FEW = settings(max_examples=60)
ITEMS = (
    "lentil curry",
    "flatbread",
    "tomato soup",
    "apple pie",
    "apple juice",
    "trifle",
    "cheese board",
    "green salad",
)
SHORT = {item.split()[-1]: item for item in ITEMS}


def public(items=ITEMS, most=None):
    roles = (Role("first", "Ann", "cooks"), Role("second", "Tom", "eats"))
    ask = {"first": "What do you need?", "second": "What do you need?"}
    return Public("A buffet.", "Which dishes?", roles, {"items": list(items), "max_items": most, "ask": ask})


PUBLIC = public()


def world(first=(("trifle",), ("flatbread",)), second=(("apple pie",), ("tomato soup",)), context=PUBLIC):
    conditions = tuple(
        Condition(seat, "wishes", {"requires": list(wishes[0]), "refuses": list(wishes[1])})
        for seat, wishes in zip(SEATS, (first, second), strict=True)
        if wishes is not None
    )
    return World("a", context, conditions)


def rules_broken(items, where=None):
    return [(v.rule, v.seat) for v in SelectionRules().check(where or world(), Selection(tuple(items)))]


def hear(text, speaker="first", context=PUBLIC):
    return FAMILY.hear(text, context, speaker)


# ---------------------------------------------------------------------------------------------------------------- rules


def test_a_selection_that_suits_both_breaks_nothing():
    assert rules_broken(("apple pie", "trifle")) == []
    assert rules_broken(("apple pie", "apple juice", "trifle")) == []


def test_every_item_is_on_the_list():
    assert rules_broken(("apple pie", "trifle", "caviar")) == [("listed", None)]


def test_something_is_chosen():
    assert rules_broken((), world(None, None)) == [("some", None)]


def test_no_more_is_chosen_than_there_is_room_for():
    three = ("apple pie", "apple juice", "trifle")
    assert rules_broken(three, world(context=public(most=2))) == [("size", None)]
    assert rules_broken(three, world(context=public(most=3))) == []


def test_nothing_that_either_refuses_is_chosen():
    assert rules_broken(("flatbread", "apple pie", "trifle")) == [("refused", "first")]
    assert rules_broken(("tomato soup", "apple pie", "trifle")) == [("refused", "second")]


def test_everything_that_either_requires_is_chosen():
    assert rules_broken(("apple pie",)) == [("required", "first")]
    assert rules_broken(("trifle",)) == [("required", "second")]


def test_a_violation_says_what_was_found_and_what_was_due():
    (refused,) = SelectionRules().check(world(second=None), Selection(("flatbread", "trifle")))
    assert (refused.found, refused.required) == ("flatbread", "without flatbread")
    (required,) = SelectionRules().check(world(second=None), Selection(("apple pie",)))
    assert (required.found, required.required) == (["apple pie"], "with trifle")
    assert "Ann" in refused.message
    assert "Ann" in required.message


def test_what_nobody_said_is_no_constraint():
    assert rules_broken(("flatbread",), world(None, None)) == []
    unknown = Condition("first", "wishes", {"requires": None, "refuses": ["trifle"]})
    assert rules_broken(("flatbread",), World("a", PUBLIC, (unknown,))) == []
    assert rules_broken(("trifle",), World("a", PUBLIC, (unknown,))) == [("refused", "first")]


# ----------------------------------------------------------------------------------------------------------------- laws

wish_lists = st.lists(st.sampled_from(ITEMS), unique=True, max_size=3)
wishes_of = st.none() | st.tuples(wish_lists, wish_lists)
contexts = st.builds(
    public,
    st.lists(st.sampled_from(ITEMS), unique=True, min_size=1, max_size=6).map(tuple),
    st.none() | st.integers(1, 8),
)
worlds = st.builds(world, wishes_of, wishes_of, contexts)


@FEW
@given(worlds)
def test_passing_is_the_plans_that_the_checker_passes(where):
    slow = [p for p in FAMILY.plans(where) if not list(SelectionRules().check(where, p))]
    assert list(FAMILY.passing(where)) == slow


@FEW
@given(worlds)
def test_a_plan_is_feasible_exactly_when_it_passes(where):
    passing = set(FAMILY.passing(where))
    for plan in FAMILY.plans(where):
        record = {"outcome": "agree", "terms": {"items": list(plan.items)}}
        assert RULES.feasibility(where, {"first": record, "second": record}).passed == (plan in passing)


@FEW
@given(worlds, st.sampled_from(SEATS), st.sampled_from(("requires", "refuses")), st.integers(0, 2))
def test_dropping_a_wish_never_makes_a_feasible_plan_infeasible(where, seat, part, number):
    old = where.of(seat, "wishes")
    assume(old is not None and len(old[part]) > number)
    fewer = {**old, part: [item for n, item in enumerate(old[part]) if n != number]}
    changed = tuple(evolve(c, value=fewer) if c.owner == seat else c for c in where.conditions)
    assert set(FAMILY.passing(where)) <= set(FAMILY.passing(evolve(where, conditions=changed)))


@FEW
@given(worlds)
def test_more_room_never_makes_a_feasible_plan_infeasible(where):
    most = where.public.facts["max_items"]
    assume(most is not None)
    roomier = evolve(where, public=evolve(where.public, facts={**where.public.facts, "max_items": most + 1}))
    assert set(FAMILY.passing(where)) <= set(FAMILY.passing(roomier))


@FEW
@given(st.lists(st.sampled_from(ITEMS), unique=True, min_size=1), st.randoms(use_true_random=False))
def test_a_record_reads_the_same_in_any_order_and_spelling(items, rng):
    plain = read_record({"outcome": "agree", "terms": {"items": items}}, FAMILY, PUBLIC)
    loose = [rng.choice((item.upper(), f"the {item}", f"  {item.title()} ")) for item in rng.sample(items, len(items))]
    assert read_record({"outcome": "Agreed", "terms": {"items": loose}}, FAMILY, PUBLIC) == plain
    assert read_record(write_record(plain), FAMILY, PUBLIC) == plain


@FEW
@given(st.lists(st.text(max_size=12), max_size=14).map(tuple), worlds)
def test_checking_never_raises(items, where):
    assert list(SelectionRules().check(where, Selection(items))) is not None


@FEW
@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from([*ITEMS, *"I you can't need and or the , ? . how about sorry all".split()])).map(
        " ".join
    )
)
def test_hearing_never_raises_and_keeps_to_the_text(text):
    heard = hear(text)
    for part in (*heard.facts, *heard.plans):
        assert 0 <= part.start < part.end <= len(text)


# ------------------------------------------------------------------------------------------------------------ scenarios


def test_thirty_settings_in_three_splits():
    assert Counter(s.split for s in SETTINGS) == {"train": 16, "dev": 4, "test": 10}
    assert len({frozenset(s.names) for s in SETTINGS}) == 30
    assert len({s.id for s in SETTINGS}) == 30


@pytest.mark.parametrize("scenario", MANY, ids=lambda s: f"{s.id}-{s.setting}")
def test_every_pair_holds_and_guessing_does_not_pay(scenario):
    certificate = RULES.certificate(scenario)
    assert certificate.problems == ()
    assert certificate.kind in ("agree/agree", "agree/decline")
    space = len(list(FAMILY.plans(scenario.worlds[0])))
    for right in (certificate.a, certificate.b):
        assert len(right.plans) <= 8
        assert len(right.plans) / space <= 0.15


@pytest.mark.parametrize("split", SPLITS)
def test_both_owners_and_both_kinds_occur_and_no_kind_rules(split):
    scenarios = [s for s in MANY if s.split == split]
    kinds = Counter(RULES.certificate(s).kind for s in scenarios)
    assert set(kinds) == {"agree/agree", "agree/decline"}
    assert max(kinds.values()) <= 0.7 * len(scenarios)
    assert {s.differing[0][0].owner for s in scenarios} == set(SEATS)
    shipped = Counter(RULES.certificate(s).kind for s in BANK if s.split == split)
    assert max(shipped.values()) <= 0.7 * shipped.total()


def test_neither_card_alone_gives_the_plan_away():
    hits = tries = 0
    for scenario in MANY:
        for where in scenario.worlds:
            right = RULES.right(where)
            for seat in SEATS:
                own = where.of(seat, "wishes")
                mine = tuple(i for i in where.public.facts["items"] if i in own["requires"])
                rest = tuple(i for i in where.public.facts["items"] if i not in own["refuses"])
                for guess in (mine, rest):
                    tries += 1
                    hits += Selection(guess) in right.plans
    assert hits <= 0.05 * tries


def test_both_worlds_show_the_partner_the_same():
    for scenario in MANY:
        a, b = scenario.worlds
        ((changed, _),) = scenario.differing
        partner = "second" if changed.owner == "first" else "first"
        assert a.card(partner) == b.card(partner)


@pytest.mark.parametrize("most", [1, 2, 3, 12])
def test_the_option_caps_the_size_of_what_is_drawn(most):
    family = SetConsent(max_items=most)
    rules = Rules(family, family.own_checkers())
    for scenario in (s for split in SPLITS for s in family.scenarios(split, 5, None)):
        limit = scenario.public.facts["max_items"]
        assert most == 12 or limit <= most
        assert rules.certificate(scenario).holds
        assert most > 1 or rules.certificate(scenario).kind == "agree/decline"


@pytest.mark.parametrize("most", [0, 13, "4", 2.0])
def test_the_option_is_a_whole_number_from_1_to_12(most):
    with pytest.raises((ValueError, TypeError)):
        SetConsent(max_items=most)


# ------------------------------------------------------------------------------------------------------------- settings


def sentences(setting):
    told = [text for kind in setting.tell.values() for text in kind.values()]
    texts = [
        setting.story,
        setting.brief,
        setting.params["limit"],
        *told,
        *setting.ask.values(),
        *setting.about.values(),
    ]
    for text in texts:
        plain = re.sub(r"\{\w+\}", "", text)
        for name in setting.names:
            plain = plain.replace(name, "")
        yield from (" ".join(s.casefold().split()) for s in re.split(r"[.?!]", plain) if re.search("[a-z]", s))


def test_no_two_settings_share_a_sentence():
    seen = Counter(sentence for setting in SETTINGS for sentence in set(sentences(setting)))
    assert [sentence for sentence, times in seen.items() if times > 1] == []


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.id)
def test_a_setting_lists_enough_and_has_no_digits(setting):
    items = setting.params["items"]
    assert len(set(items)) == len(items) == 8
    assert not any("," in item or " and " in item for item in items)
    assert not re.search(r"[0-9]", re.sub(r"\{\w+\}", "", " ".join(sentences(setting))))
    assert "{items}" in setting.brief
    assert "{limit}" in setting.brief


def test_the_brief_says_the_list_and_the_room():
    for scenario in BANK:
        facts = scenario.public.facts
        assert all(item in scenario.public.brief for item in facts["items"])
        assert "{" not in scenario.public.story + scenario.public.brief


def test_no_item_is_missing_from_any_text_of_a_condition():
    for scenario in MANY:
        for condition in (*scenario.a, *scenario.b):
            assert all(item in condition.text for part in condition.value.values() for item in part)


# --------------------------------------------------------------------------------------------------------------- speech


@pytest.mark.parametrize("scenario", MANY, ids=lambda s: f"{s.id}-{s.setting}")
def test_what_is_told_is_heard_exactly(scenario):
    for condition in {(c.owner, c.text): c for c in (*scenario.a, *scenario.b)}.values():
        heard = hear(FAMILY.tell(condition, scenario.public), condition.owner, scenario.public)
        assert [(f.kind, f.value, f.about) for f in heard.facts] == [("wishes", condition.value, "speaker")]
        assert heard.plans == ()


@pytest.mark.parametrize("scenario", BANK, ids=lambda s: s.setting)
def test_every_plan_is_heard_as_it_is_said(scenario):
    context = scenario.public
    for plan in FAMILY.plans(scenario.worlds[0]):
        said = FAMILY.say(plan, context)
        for text in (said, f"How about {said}?", f"Then it's {said}."):
            heard = hear(text, "first", context)
            assert ([p.terms for p in heard.plans], heard.facts) == ([plan], ()), text


@pytest.mark.parametrize("scenario", BANK, ids=lambda s: s.setting)
def test_telling_asking_and_proposing_in_one_breath(scenario):
    context = scenario.public
    plan = next(iter(RULES.right(scenario.worlds[0]).plans or RULES.right(scenario.worlds[1]).plans))
    for condition in scenario.a:
        text = f"{condition.text} {FAMILY.ask(context, condition.owner)} How about {FAMILY.say(plan, context)}?"
        heard = hear(text, condition.owner, context)
        assert [(f.value, f.about) for f in heard.facts] == [(condition.value, "speaker")]
        assert [p.terms for p in heard.plans] == [plan]


@pytest.mark.parametrize("scenario", BANK, ids=lambda s: s.setting)
def test_what_both_know_already_is_neither_fact_nor_plan(scenario):
    context = scenario.public
    for text in (context.story, context.brief, *(FAMILY.ask(context, seat) for seat in SEATS)):
        assert hear(text, "first", context) == hear("", "first", context), text


SAID = [
    (
        "I need the lentil curry and the flatbread on the table, and I can't serve the trifle.",
        "curry flatbread|trifle",
        "",
        [],
    ),
    ("How about the lentil curry, the flatbread and the trifle?", "", "", ["curry flatbread trifle"]),
    ("Let's go with the curry and the pie, leave out the juice.", "", "", ["curry pie"]),
    ("just the curry then", "", "", ["curry"]),
    ("Everything but the soup?", "", "", ["curry flatbread pie juice trifle board salad"]),
    ("Then it's the lentil curry, the apple pie and the green salad.", "", "", ["curry pie salad"]),
    ("Then it's the trifle.", "", "", ["trifle"]),
    ("My aunt can't eat the apple pie or the cheese board.", "|pie board", "", []),
    ("I can't do without the flatbread.", "flatbread|", "", []),
    ("The trifle is a must for me, and the soup is out.", "trifle|soup", "", []),
    ("I can't have the soup, and the pie has to be there.", "pie|soup", "", []),
    ("You said you can't have the trifle, so how about the curry and the salad?", "", "|trifle", ["curry salad"]),
    ("So you need the curry and can't have the soup, right?", "", "curry|soup", []),
    ("Do you need the curry?", "", "", []),
    ("What about the trifle?", "", "", []),
    ("The trifle sounds lovely.", "", "", []),
    ("I love apple pie and I'd like the trifle too.", "", "", []),
    ("I don't need the curry.", "", "", []),
    ("I'm fine with the curry, but the juice won't work for me.", "|juice", "", []),
    ("I need the curry — sorry, I meant the pie.", "pie|", "", []),
    ("I need the curry and the soup, sorry, the curry and the pie.", "curry pie|", "", []),
    ("How about the curry and the soup? Sorry, I meant the curry and the pie.", "", "", ["curry pie"]),
    ("I can eat everything except the cheese board.", "|board", "", []),
    ("Everything except the cheese board works for me.", "|board", "", []),
    ("If you need the trifle, I could bring the juice.", "", "", []),
    ("We can't have both the curry and the soup.", "", "", []),
    ("I can't accept the curry, the soup and the pie.", "", "", ["!curry soup pie"]),
    ("The curry, the flatbread and the pie works for me.", "", "", ["curry flatbread pie"]),
    ("Agreed: the curry, the flatbread and the salad.", "", "", ["curry flatbread salad"]),
    ("Great, the curry and the flatbread it is!", "", "", ["curry flatbread"]),
    ("Could we skip the trifle?", "", "", []),
    ("I could skip the trifle.", "", "", []),
    ("Happy to leave out the salad.", "", "", []),
    ("Here's my proposal:\n- Lentil curry\n- Flatbread\n- Apple juice", "", "", ["curry flatbread juice"]),
    ("I'd suggest **lentil curry**, **apple pie** and **green salad**.", "", "", ["curry pie salad"]),
    ("Let's have everything except the trifle and the soup.", "", "", ["curry flatbread pie juice board salad"]),
    ("How about we add the salad?", "", "", []),
    ("How about the curry as well?", "", "", []),
    ("I must keep the cheese board off the menu, my brother is allergic.", "|board", "", []),
    ("I need the soup left out because of the celery.", "|soup", "", []),
    ("As long as the flatbread is there, I'm easy.", "flatbread|", "", []),
    ("My daughter is allergic to the trifle.", "|trifle", "", []),
    ("It's the trifle that I can't have.", "|trifle", "", []),
    ("What I need is the pie; what I can't have is the juice.", "pie|juice", "", []),
    ("What do you need? For me it's the curry that has to be there.", "curry|", "", []),
    ("Neither the soup nor the trifle works for me.", "|soup trifle", "", []),
    (
        "You need the pie and I need the salad, so the pie, the salad and the flatbread?",
        "salad|",
        "pie|",
        ["pie salad flatbread"],
    ),
    ("Shall we say apple pie and apple juice, but no trifle?", "", "", ["pie juice"]),
    ("How about the curry or the soup?", "", "", []),
    ("I need the curry or the soup.", "", "", []),
    ("Would the curry, the soup and the juice work for you?", "", "", ["curry soup juice"]),
    ("Would the trifle work for you?", "", "", []),
    ("Only the curry and the flatbread, then?", "", "", ["curry flatbread"]),
    ("I can't wait to try the trifle!", "", "", []),
    ("The apple pie is fine, the apple juice isn't.", "", "", []),
    ("No trifle for me, please.", "|trifle", "", []),
    ("Your uncle needs the cheese board, I understand.", "", "board|", []),
    (
        "Because of the hob I can't have the soup, but how about the salad, the pie and the cheese board?",
        "|soup",
        "",
        ["salad pie board"],
    ),
    ("The soup can't be left out.", "soup|", "", []),
    ("I need at least the curry. How about the curry, the pie and the juice?", "curry|", "", ["curry pie juice"]),
    ("I don't mind the trifle.", "", "", []),
    ("Let's think about the soup first.", "", "", []),
    ("I have to ask about the soup.", "", "", []),
    ("So that's the curry, the flatbread and the pie. I'll write that down.", "", "", ["curry flatbread pie"]),
    ("I'm writing down curry, flatbread, apple pie.", "", "", ["curry flatbread pie"]),
    ("We have the curry, the soup, the pie and the trifle to choose from.", "", "", []),
    ("Fine by me, but my nephew can't be near the cheese board.", "|board", "", []),
    ("I need the curry, my aunt's favourite, and the pie.", "curry pie|", "", []),
    ("You told me the trifle is out for you.", "", "|trifle", []),
    ("My list: the curry, the soup, the flatbread.", "", "", ["curry soup flatbread"]),
    ("Is the soup a problem for you?", "", "", []),
    (
        "Since you can't have the trifle and I need the pie, let's do the pie, the curry and the salad.",
        "pie|",
        "|trifle",
        ["pie curry salad"],
    ),
    ("I won't get through the evening without the apple juice.", "juice|", "", []),
    ("Please leave the trifle out.", "", "", []),
    ("The curry and the salad doesn't work for me.", "", "", ["!curry salad"]),
    ("How about the curry and the salad without the flatbread?", "", "", ["curry salad"]),
    ("Deal, the curry and the salad.", "", "", ["curry salad"]),
    ("No, the trifle is off the table for us.", "|trifle", "", []),
    ("Let's go with the curry, the pie and the salad if that suits you.", "", "", ["curry pie salad"]),
    ("I need the trifle. No wait, the soup.", "soup|", "", []),
    ("the lentil curry and the trifle", "", "", ["curry trifle"]),
    ("I need one of the soup and the salad.", "", "", []),
    ("Oh no, I can't have the curry and the soup on the same table.", "", "", []),
    ("Must-haves: lentil curry, flatbread. Can't have: trifle.", "curry flatbread|trifle", "", []),
    ('"Lentil curry", "flatbread" and "trifle" — does that suit you?', "", "", ["curry flatbread trifle"]),
    ("Confirmed: lentil curry, flatbread and trifle. Thanks Tom!", "", "", ["curry flatbread trifle"]),
    ("All eight then?", "", "", ["curry flatbread soup pie juice trifle board salad"]),
    ("All four then?", "", "", []),
    ("I require lentil curry and I refuse trifle and tomato soup.", "curry|soup trifle", "", []),
    ("You can't have the curry? Then it won't work, because I need the curry.", "curry|", "", []),
    ("My brother-in-law is allergic to the cheese board, so no cheese board.", "|board", "", []),
    ("Then let's drop the trifle and keep the curry, the pie and the salad.", "", "", ["curry pie salad"]),
    ("Could we agree on lentil curry, flatbread and green salad?", "", "", ["curry flatbread salad"]),
    ("How about the stew and the curry?", "", "", []),
    ("How about the curry, the salad and the dumplings?", "", "", []),
    ("How about APPLE PIE & apple  juice?", "", "", ["pie juice"]),
    ("So, no soup, and the curry is a must. How about the curry and the pie?", "curry|", "", ["curry pie"]),
    ("How about this: the curry, the pie and, for you, the soup?", "", "", ["curry pie soup"]),
    ("How about the curry for my dad, the soup for your mum and the trifle?", "", "", ["curry soup trifle"]),
    ("How about the curry, the pie and you bring the soup?", "", "", ["curry pie"]),
    ("So just to confirm, flatbread, pie and juice?", "", "", ["flatbread pie juice"]),
    ("I need to know whether you can have the trifle.", "", "", []),
    ("I have to admit I love the trifle.", "", "", []),
    ("It has to be the pie. The trifle must go.", "pie|trifle", "", []),
]


def long_names(short):
    return [item for item in ITEMS if item in {SHORT[word] for word in short.split()}] or None


def as_fact(wishes):
    requires, refuses = wishes.split("|")
    return {"requires": long_names(requires), "refuses": long_names(refuses)}


@pytest.mark.parametrize(("text", "speaker", "listener", "plans"), SAID, ids=[row[0][:40] for row in SAID])
def test_loose_speech(text, speaker, listener, plans):
    heard = hear(text)
    expected = [(as_fact(w), who) for w, who in ((speaker, "speaker"), (listener, "listener")) if w]
    assert [(f.value, f.about) for f in heard.facts] == expected
    said = [(long_names(p.lstrip("!")), p.startswith("!")) for p in plans]
    assert [(list(p.terms.items), p.rejected) for p in heard.plans] == said


def test_evidence_lies_where_it_was_said():
    text = "Well, I need the trifle. How about the trifle and the soup?"
    heard = hear(text)
    assert "need the trifle" in text[heard.facts[0].start : heard.facts[0].end]
    assert text[heard.plans[0].start : heard.plans[0].end] == "How about the trifle and the soup"


def test_items_that_share_a_word_are_told_apart():
    assert hear("How about the apple pie?").plans[0].terms == Selection(("apple pie",))
    assert hear("How about the juice?").plans[0].terms == Selection(("apple juice",))
    assert hear("How about the apple?").plans == ()


def test_lists_without_articles_are_titles():
    context = evolve(PUBLIC, facts={**PUBLIC.facts, "items": ["Jane Eyre", "Kidnapped"], "article": ""})
    assert FAMILY.say(Selection(("Jane Eyre", "Kidnapped")), context) == "Jane Eyre and Kidnapped"


CARD = RoleCard("first", PUBLIC, world().conditions[:1])


@pytest.mark.parametrize(
    ("requires", "refuses", "true"),
    [
        (["trifle"], ["flatbread"], True),
        (["trifle"], None, True),
        (None, ["flatbread"], True),
        (None, None, True),
        (["apple pie"], None, False),
        (["trifle", "apple pie"], None, False),
        (None, ["trifle"], False),
        (None, ["flatbread", "apple juice"], False),
    ],
)
def test_a_wish_that_is_not_on_the_card_contradicts_it(requires, refuses, true):
    reason = FAMILY.contradicts(Fact("wishes", {"requires": requires, "refuses": refuses}), CARD)
    assert (reason is None) == true


def test_own_words_never_contradict_the_card():
    for scenario in MANY:
        for where in scenario.worlds:
            for seat in SEATS:
                card = where.card(seat)
                facts = hear(card.conditions[0].text, seat, scenario.public).facts
                assert [FAMILY.contradicts(fact, card) for fact in facts] == [None]
