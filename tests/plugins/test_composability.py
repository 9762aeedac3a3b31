"""Parts of different makers put together: a rule from outside on a built-in family, suites that mix, what they need."""

import json
import re
from pathlib import Path

import pytest

from adidem.core.domain import SEATS, Record
from adidem.core.records import write_record
from adidem.core.runs.scenarios import rules_of
from adidem.core.runs.store import RunStore
from adidem.core.setup import load

OUTSIDE = Path(__file__).parents[1] / "outside"
EVEN = '''"""A rule beside the family's own: nobody gets more than ten percent of the total above the other."""

from attrs import field, frozen
from attrs.validators import ge, le

import adidem
from adidem.core.domain import Violation


@frozen
class EvenSplit:
    """The two shares are no further apart than a part of the total."""

    name = "even_split"
    families = ("resource_allocation",)
    within: float = field(default=0.1, validator=[ge(0), le(1)], metadata={"doc": "of the total"})

    def check(self, world, terms):
        """A violation where they are further apart."""
        shares = [terms.shares.get(name) for name in world.public.names]
        total = world.public.facts["total"]
        if None not in shares and abs(shares[0] - shares[1]) > self.within * total:
            yield Violation("even_split", "the shares are too far apart", None, shares, self.within * total)


@adidem.hookimpl
def adidem_register_checkers(register):
    """The rule."""
    register(EvenSplit)
'''


@pytest.fixture
def even(tmp_path):
    path = tmp_path / "even_split.py"
    path.write_text(EVEN)
    return path


def split_rules(even, **options):
    sets = [f"checkers.even_split.{name}={value}" for name, value in options.items()]
    return rules_of(load(None, [even], sets), ["resource_allocation"])["resource_allocation"]


def test_feasibility_heeds_a_rule_from_outside(even, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plain = rules_of(load(), ["resource_allocation"])["resource_allocation"]
    ruled = split_rules(even, within=0.3)
    refused = 0
    for scenario in plain.family.scenarios("train", 1, 16):
        for world in scenario.worlds:
            for plan in plain.right(world).plans:
                raw = write_record(Record("agree", plan))
                assert plain.feasibility(world, dict.fromkeys(SEATS, raw)).passed
                one, two = plan.shares.values()
                uneven = abs(one - two) > 0.3 * world.public.facts["total"]
                verdict = ruled.feasibility(world, dict.fromkeys(SEATS, raw))
                assert verdict.passed != uneven
                refused += uneven
                if uneven and ruled.right(world).outcome == "agree":
                    assert [failure.rule for failure in verdict.failures] == ["even_split"]
    assert refused


def test_what_is_right_and_the_certificate_follow_from_it(even, tmp_path, monkeypatch):
    """Where no even split fits both, declining is right; a pair that it leaves without a difference is refused."""
    monkeypatch.chdir(tmp_path)
    plain = rules_of(load(), ["resource_allocation"])["resource_allocation"]
    ruled = split_rules(even)
    scenarios = plain.family.scenarios("train", 1, 40)
    moved = [
        (scenario, world)
        for scenario in scenarios
        for world in scenario.worlds
        if plain.right(world).outcome == "agree" and ruled.right(world).outcome == "decline"
    ]
    assert moved
    certificates = [ruled.certificate(scenario) for scenario in scenarios]
    held = [certificate for certificate in certificates if certificate.holds]
    assert 0 < len(held) < len(scenarios)
    assert {problem for c in certificates for problem in c.problems} == {"1 correct record(s) are right in both worlds"}


def test_certify_and_a_run_name_what_the_rule_leaves(even, cli):
    words = ("--plugin", even, "--family", "resource_allocation", "--set", "checkers.even_split.within=0.3")
    before = cli("scenarios", "certify", "--family", "resource_allocation").stdout
    after = cli("scenarios", "certify", *words, code=1).stdout
    assert "30 of 30 pair certificates hold" in before
    assert "30 of 30" not in after
    played = cli("run", "hico", *words, "--out", "run", "--json")
    last = json.loads(played.stdout.splitlines()[-1])
    assert 0 < last["episodes"]["scored"] < 40, "scenarios whose pair holds no more are left out"
    assert "resource_allocation/test/09 is left out: 1 correct record(s) are right in both worlds" in played.stderr


def test_scripted_agents_settle_what_the_rule_allows_and_the_report_counts_it(even, cli, tmp_path):
    words = ("--plugin", even, "--family", "resource_allocation", "--set", "checkers.even_split.within=0.3")
    cli("run", "hico", *words, "--out", "run", "--json")
    with RunStore(tmp_path / "run") as store:
        episodes = list(store.episodes())
        totals = {scenario.id: scenario.public.facts["total"] for scenario in store.scenarios()}
    agreed = [e for e in episodes if e.due == "agree"]
    assert agreed
    for episode in agreed:
        shares = list(episode.records["first"].terms["shares"].values())
        assert abs(shares[0] - shares[1]) <= 0.3 * totals[episode.scenario]
        assert episode.feasibility.passed
    report = json.loads(cli("report", "run", "--format", "json").stdout)
    assert report["metrics"]["verified_success"]["value"] == 1.0


def test_who_breaks_the_rule_is_named_in_the_report(even, cli, stub, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def takes_all(body):
        if "response_format" not in body:
            return "I take all of it."
        schema = body["response_format"]["json_schema"]["schema"]
        first, second = schema["properties"]["terms"]["anyOf"][0]["properties"]["shares"]["properties"]
        return {"outcome": "agree", "terms": {"shares": {first: 1000, second: 0}}}

    stub.answer = takes_all
    words = ("--plugin", even, "--family", "resource_allocation", "--set", "checkers.even_split.within=0.3")
    model = ("--agent", "openai/stub", "--partner", "self", "--api-base", stub.url, "--turns", 2, "--limit", 8)
    cli("run", "hico", *words, *model, "--out", "run", "--json")
    report = json.loads(cli("report", "run", "--format", "json").stdout)
    assert "even_split" in {reason["rule"] for reason in report["reasons"]}
    assert "breaks the rule even split" in cli("report", "run").stdout


def test_a_suite_of_ones_own_mixes_built_in_and_third_party_parts(even, cli, tmp_path):
    (tmp_path / "registry.yaml").write_text(
        "checkers: {even_split: {within: 0.3}}\n"
        "suites:\n"
        "  lab:\n"
        "    families: [resource_allocation, meeting_place]\n"
        "    barriers: ['mumble:0.9', 'semantic_vagueness:0.5+mumble:0.5']\n"
        "    judges: [integrity_rules, conduct]\n    split: dev\n    seats: first\n"
    )
    files = [word for name in ("meeting_place.py", "mumble.py") for word in ("--plugin", OUTSIDE / name)]
    cli("run", "lab", "--plugin", even, *files, "--out", "run", "--json")
    report = json.loads(cli("report", "run", "--format", "json").stdout)
    assert set(report["by_family"]) == {"resource_allocation", "meeting_place"}
    assert {"none", "mumble:0.9", "semantic_vagueness:0.5+mumble:0.5"} <= set(report["by_barrier"])
    assert report["metrics"]["conduct.substance"]["n"]


@pytest.mark.parametrize(
    ("section", "name", "kind"),
    [
        ("families", "meeting_place", "family"),
        ("checkers", "meeting_place", "checker"),
        ("barriers", "mumble", "barrier"),
        ("judges", "conduct", "judge"),
    ],
)
def test_switching_off_what_a_suite_needs_is_refused_with_its_name(cli, tmp_path, section, name, kind):
    (tmp_path / "registry.yaml").write_text(
        "suites:\n  lab: {families: [meeting_place], barriers: [mumble], judges: [conduct]}\n"
        f"{section}: {{{name}: false}}\n"
    )
    files = [word for file in ("meeting_place.py", "mumble.py") for word in ("--plugin", OUTSIDE / file)]
    error = cli("run", "lab", *files, "--out", "run", code=2).stderr
    assert len(error.splitlines()) == 1
    assert "lab" in error
    assert f"{kind} {name!r} is switched off in registry.yaml:3:" in error
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("--set", "judges.conduct=false"), "suites.hico.judges=[integrity_rules]"),
        (
            ("--set", "families.resource_allocation=false"),
            "suites.hico.families=[authorization, bounded_quantities, joint_scheduling, shared_resource_scheduling, "
            "set_consent]",
        ),
    ],
)
def test_the_advice_where_something_is_switched_off_can_be_followed(cli, words, advice):
    error = " ".join(cli("run", "hico", "--limit", 1, *words, code=2).stderr.split())
    (setting,) = re.findall(r"with --set '(.*?)', or in your own registry.yaml", error)
    assert setting == advice
    assert ("--family" in error) == ("families" in setting)
    cli("run", "hico", "--limit", 1, *words, "--set", setting, "--out", "run", "--json")


def test_the_advice_for_a_judge_that_a_model_would_have_asked_as_can_be_followed(cli):
    words = ("run", "hico", "--limit", 1, "--judge", "scripted:judge", "--set", "judges.sotopia=false")
    assert "or name the judges to ask: --judge integrity --judge scripted:judge" in cli(*words, code=2).stderr
    cli(*words, "--judge", "integrity", "--out", "run", "--json")


def test_what_is_named_on_the_command_line_is_to_be_switched_on(cli, meeting_off):
    said = cli(*meeting_off, code=2).stderr
    assert "leave it out, or switch it on with --set families.resource_allocation=true" in " ".join(said.split())


@pytest.fixture
def meeting_off(tmp_path):
    """A family asked for by name and switched off in the registry of one's own; the suite does not name it."""
    (tmp_path / "registry.yaml").write_text(
        "suites: {lab: {families: [bounded_quantities]}}\nfamilies: {resource_allocation: false}\n"
    )
    return "run", "lab", "--family", "resource_allocation"


def test_switching_off_a_rule_beside_the_familys_own_is_allowed(even, cli):
    words = ("--plugin", even, "--family", "resource_allocation", "--set", "checkers.even_split=false")
    assert "30 of 30 pair certificates hold" in cli("scenarios", "certify", *words).stdout
