"""SocialVeil's protocol from end to end: whose prompt carries the barrier, the repair, the probe; whose does not."""

import json
from collections import Counter

import pytest

from adidem.core.domain import other
from adidem.core.runs.store import RunStore
from adidem.core.setup import load
from adidem.plugins.families.sotopia import Sotopia

BARRIERS = ("semantic_vagueness", "sociocultural_mismatch", "emotional_interference")
DIRECTIVE = "How you talk, every time:"
OWN = {s.id: s for s in Sotopia().scenarios("test", 0, None)}


@pytest.fixture
def model(stub, monkeypatch):
    """The words that put the stub into both seats."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    count = Counter()

    def answer(body):
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        if "barrier" in schema.get("properties", {}):
            return {"barrier": BARRIERS[0]}
        count["said"] += 1
        return f"Well, that is thing number {count['said']}, I think."

    stub.answer = answer
    return "--agent", "openai/stub", "--api-base", stub.url, "--quiet", "--set", "llm.attempts=1"


def speaker(body):
    """Whose prompt it is."""
    return body["messages"][0]["content"].split("You are ", 1)[1].split(". You talk", 1)[0]


def is_probe(body):
    return "off the record" in body["messages"][-1]["content"]


def episodes(tmp_path, name="run"):
    with RunStore(tmp_path / name) as store:
        return {(e.task, e.barrier): e for e in store.episodes()}


# ---------------------------------------------------------------------------------------------------------- offline


@pytest.mark.parametrize("manner", ["candid", "guarded", "agreeable"])
def test_the_suite_runs_offline_under_four_conditions(cli, tmp_path, manner):
    done = json.loads(cli("run", "socialveil", "--agent", f"scripted:{manner}", "--out", "run", "--json").stdout)
    assert done["episodes"] == {"scored": 40, "failed": 0, "owed": 0}
    assert done["evidence"] == "mechanism"
    found = episodes(tmp_path)
    assert Counter(e.barrier.partition(":")[0] for e in found.values()) == {"none": 10} | dict.fromkeys(BARRIERS, 10)
    assert all(2 <= len(e.turns) <= 20 and e.judgements == () and e.records == {} for e in found.values())
    assert {e.seat for e in found.values()} == {"first"}


def test_without_a_barrier_everything_told_is_heard_and_with_one_less(cli, tmp_path):
    cli("run", "socialveil", "--out", "run", "--json")
    family = load().components.get("family", "sotopia")
    reached = {name: [] for name in ("none", *BARRIERS)}
    for e in episodes(tmp_path).values():
        scenario = OWN[e.scenario]
        heard = [f.value for t in e.turns if t.seat != e.seat for f in family.hear(t.text, None, t.seat).facts]
        reached[e.barrier.partition(":")[0]].append(scenario.worlds[0].of(other(e.seat), "goal") in heard)
    share = {name: sum(values) / len(values) for name, values in reached.items()}
    assert share["none"] == 1
    assert all(share[name] < 1 for name in BARRIERS)


def test_the_scripted_judge_rates_every_dimension_of_both_and_the_two_of_the_episode(cli, tmp_path):
    cli("run", "socialveil", "--judge", "scripted:judge", "--out", "run", "--limit", 2, "--json")
    for e in episodes(tmp_path).values():
        ratings = [r for judgement in e.judgements for r in judgement.ratings]
        assert len(ratings) == 2 * 9 + 3
        assert all(r.score is not None for r in ratings)


def test_the_suite_sotopia_plays_both_seats_without_a_barrier(cli, tmp_path):
    cli("run", "sotopia", "--judge", "scripted:judge", "--out", "run", "--limit", 4, "--json")
    assert Counter(e.seat for e in episodes(tmp_path).values()) == {"first": 2, "second": 2}


def test_there_is_no_pair_to_certify(cli):
    assert "keeps no records" in cli("scenarios", "certify", "--family", "sotopia", code=2).stderr
    assert "judges alone" in cli("scenarios", "show", "sotopia/test/00").stdout


def test_a_data_set_of_ones_own_is_played_and_a_bad_line_is_named(cli, tmp_path):
    from adidem.plugins.families.sotopia import OWN as FILE

    lines = FILE.read_text().splitlines()
    (tmp_path / "mine.jsonl").write_text("\n".join(lines[:2]))
    data = "--set", "suites.socialveil.data=mine.jsonl"
    done = json.loads(cli("run", "socialveil", *data, "--out", "run", "--json").stdout)
    assert done["episodes"]["scored"] == 8
    (tmp_path / "mine.jsonl").write_text(lines[0] + "\n{")
    assert "mine.jsonl:2: no JSON" in cli("run", "socialveil", *data, "--out", "more", code=2).stderr
    (tmp_path / "mine.jsonl").write_text("\n")
    said = cli("run", "socialveil", *data, "--out", "more", code=2).stderr
    assert "mine.jsonl holds no scenario of sotopia" in said
    assert "certified" not in said, "what keeps no records has no pair to certify"


# ------------------------------------------------------------------------------------------------- the model speakers


@pytest.mark.parametrize("on", ["partner", "agent"])
@pytest.mark.parametrize("barrier", BARRIERS)
def test_exactly_one_prompt_carries_the_directive_and_the_judge_never_sees_it(cli, model, stub, on, barrier):
    words = "--barrier", f"{barrier}:0.7", "--barrier-on", on, "--limit", 1, "--turns", 4
    cli("run", "socialveil", *model, *words, "--judge", "openai/stub", "--set", f"judge.api_base={stub.url}", code=0)
    asked = [body for body in stub.bodies if "You rate a finished conversation" not in body["messages"][0]["content"]]
    judged = [body for body in stub.bodies if body not in asked]
    assert judged
    scenario = OWN["sotopia/test/00"]
    barred, free = scenario.public.names[::-1] if on == "partner" else scenario.public.names
    systems = {(speaker(body), body["messages"][0]["content"]) for body in asked}
    plain = {name: min((text for who, text in systems if who == name), key=len) for name in (barred, free)}
    assert Counter(name for name, _ in systems) == {barred: 2, free: 1}
    loud = next(text for name, text in systems if name == barred and DIRECTIVE in text)
    assert loud.startswith(plain[barred]), "only the directive is added"
    directive = load().components.get("barrier", barrier).directive(0.7)
    told = [directive.style, directive.stance, *directive.tactics]
    assert all(text in loud for text in told)
    for body in stub.bodies:
        whole = json.dumps([message["content"] for message in body["messages"]], ensure_ascii=False)
        if body in judged or speaker(body) == free:
            assert DIRECTIVE not in whole
            assert not any(text in whole for text in told)
        assert barrier not in whole


def schema_of(body):
    return body.get("response_format", {}).get("json_schema", {}).get("schema", {})


def rates(body):
    return "You rate" in body["messages"][0]["content"]


def filled(schema):
    """The least that meets a schema."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: filled(part) for name, part in schema["properties"].items()}
    return {"array": [], "string": "so", "boolean": True}.get(schema.get("type"), schema.get("minimum", 1))


def test_the_judge_alone_is_told_what_is_the_environments(cli, model, stub):
    judge = "--judge", "openai/stub", "--set", f"judge.api_base={stub.url}"
    said = stub.answer
    stub.answer = lambda body: filled(schema) if (schema := schema_of(body)) and rates(body) else said(body)
    done = cli("run", "sotopia", *model, *judge, "--limit", 3, "--turns", 2, "--json")
    assert json.loads(done.stdout)["evidence"] == "model", "models spoke, and a model judged all that is judged here"
    secret = OWN["sotopia/test/01"].public.facts["environment"]
    told = {"You rate" in body["messages"][0]["content"] for body in stub.bodies if secret in str(body["messages"])}
    assert told == {True}


def test_the_history_is_told_in_full_and_at_most_twenty_are_said(cli, model, stub, tmp_path):
    cli("run", "socialveil", *model, "--limit", 1, "--barrier", BARRIERS[0], "--out", "run")
    for e in episodes(tmp_path).values():
        assert (len(e.turns), e.ended) == (20, "limit")
        last = next(b for b in stub.bodies[::-1] if e.turns[18].text in str(b["messages"]))
        assert all(turn.text in str(last["messages"]) for turn in e.turns[:19])


def test_actions_are_parsed_stored_and_shown_and_three_silences_end_it(cli, model, stub, tmp_path):
    script = iter(["[action] puts the key on the table", "[non-verbal] nods", "I see.", "[none]", "[none]", "[none]"])
    stub.answer = lambda _body: next(script, "[none]")
    cli("run", "sotopia", *model, "--limit", 1, "--out", "run", "--concurrency", 1)
    (episode,) = episodes(tmp_path).values()
    assert [t.action for t in episode.turns] == [
        "action", "non-verbal communication", "speak", "none", "none", "none",
    ]  # fmt: skip
    assert episode.turns[0].text == "puts the key on the table"
    assert episode.ended == "silence"
    shown = [message["content"] for message in stub.bodies[5]["messages"]]
    partner = OWN["sotopia/test/00"].public.name(other(episode.turns[5].seat))
    assert "[non-verbal] nods" in shown
    assert "[action] puts the key on the table" in "\n".join(shown)
    assert f"{partner} does nothing." in "\n".join(shown)


def test_leaving_ends_it_with_the_last_words(cli, model, stub, tmp_path):
    stub.answer = ["Hello.", "I have to go. [leave]"]
    cli("run", "sotopia", *model, "--limit", 1, "--out", "run")
    (episode,) = episodes(tmp_path).values()
    assert [(t.text, t.action) for t in episode.turns] == [("Hello.", "speak"), ("I have to go.", "leave")]
    assert episode.ended == "left"


def test_an_empty_answer_fails_and_is_never_taken_for_doing_nothing(cli, model, stub, tmp_path):
    stub.answer = lambda _body: "[action]"
    cli("run", "sotopia", *model, "--limit", 1, "--out", "run", code=1)
    (episode,) = episodes(tmp_path).values()
    assert episode.status == "failed"
    assert episode.cause.kind == "empty"


# --------------------------------------------------------------------------------------------- repair and detection


@pytest.mark.parametrize("on", ["partner", "agent"])
@pytest.mark.parametrize(("level", "words"), [("plain", "ask what it refers to"), ("aware", "Then choose the move")])
def test_the_repair_instruction_goes_to_the_other_one_where_there_is_a_barrier(cli, model, stub, on, level, words):
    barrier = "--barrier", BARRIERS[0], "--barrier-on", on, "--repair", level
    cli("run", "socialveil", *model, *barrier, "--limit", 1, "--turns", 4, "--out", "run")
    names = OWN["sotopia/test/00"].public.names
    barred, free = names[::-1] if on == "partner" else names
    systems = {body["messages"][0]["content"]: speaker(body) for body in stub.bodies}
    told = {(who, words in system, DIRECTIVE in system) for system, who in systems.items()}
    assert told == {(barred, False, True), (barred, False, False), (free, True, False), (free, False, False)}
    assert all("{{" not in system for system in systems)


def test_a_changed_repair_or_detection_is_refused_on_resumption(cli, tmp_path):
    words = "run", "socialveil", "--limit", 1, "--out", "run", "--json"
    cli(*words)
    assert 'repair: was null, is now "plain"' in cli(*words, "--resume", "--repair", "plain", code=2).stderr
    assert "detect: was false, is now true" in cli(*words, "--resume", "--detect", code=2).stderr
    assert "did you mean 'plain'" in cli("run", "socialveil", "--out", "x", "--repair", "plan", code=2).stderr


def test_a_scripted_listener_is_said_to_take_no_instruction(cli):
    done = cli("run", "socialveil", "--limit", 1, "--repair", "aware", "--detect", "--json")
    assert "--repair changes nothing" in done.stderr
    assert "--detect changes nothing" in done.stderr


def test_detection_is_stored_by_turn_and_changes_nothing_in_the_conversation(cli, model, stub, tmp_path):
    one = "--barrier", BARRIERS[1], "--limit", 1, "--turns", 6, "--concurrency", 1

    def told(turn_bodies):
        return [(body["messages"], body.get("seed"), body.get("temperature")) for body in turn_bodies]

    def answer(body):
        if is_probe(body):
            return {"barrier": BARRIERS[0]}
        return f"I say {len(body['messages'])} {speaker(body)}."

    stub.answer = answer
    cli("run", "socialveil", *model, *one, "--out", "without")
    plain = told(stub.bodies)
    stub.bodies.clear()
    cli("run", "socialveil", *model, *one, "--detect", "--out", "with")
    assert told([body for body in stub.bodies if not is_probe(body)]) == plain
    probes = [body for body in stub.bodies if is_probe(body)]
    listener = OWN["sotopia/test/00"].public.names[0]
    assert {speaker(body) for body in probes} == {listener}
    assert all(body["temperature"] == 0 for body in probes)
    before, after = episodes(tmp_path, "without"), episodes(tmp_path, "with")
    for key, e in after.items():
        assert [t.text for t in e.turns] == [t.text for t in before[key].turns]
        mine = [t.index for t in e.turns if t.seat == e.seat]
        assert e.extra["detection"] == [{"turn": index, "said": BARRIERS[0], "among": 4} for index in mine]
        assert "detection" not in before[key].extra
    assert len(probes) == sum(len(e.extra["detection"]) for e in after.values())


def test_a_probe_that_brings_no_answer_is_kept_as_none_and_fails_nothing(cli, model, stub, tmp_path):
    stub.answer = lambda body: "no idea" if is_probe(body) else "Right."
    cli("run", "sotopia", *model, "--detect", "--limit", 1, "--turns", 4, "--out", "run")
    (episode,) = episodes(tmp_path).values()
    assert episode.status == "scored"
    assert [each["said"] for each in episode.extra["detection"]] == [None, None]
