"""What comes from outside is data: names make no paths, a bank's text is no template, and nothing in it is run."""

import json

import pytest


@pytest.fixture
def bank(cli, meeting, tmp_path):
    """A bank of the one-file family; `bank(change)` writes it with each of its scenarios changed."""
    cli("scenarios", "generate", *meeting, "--split", "test", "--count", 1, "--out", "made.jsonl")

    def make(change):
        rows = [json.loads(line) for line in (tmp_path / "made.jsonl").read_text().splitlines()]
        for row in rows:
            change(row)
        (tmp_path / "bank.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return "--bank", "bank.jsonl"

    return make


def test_names_of_suites_and_agents_make_no_paths(cli, meeting, stub, tmp_path):
    (tmp_path / "registry.yaml").write_text(
        "agents: {'../../../up': {spec: 'scripted:candid'}}\nsuites: {'../../out': {families: [meeting_place], "
        "judges: []}}\n"
    )
    before = {path for path in tmp_path.parent.iterdir() if path != tmp_path}
    said = cli("run", "../../out", *meeting[:2], "--agent", "../../../up", "--json", code=None)
    assert {path for path in tmp_path.parent.iterdir() if path != tmp_path} == before
    if said.exit_code == 0:
        made = {path.parent for path in tmp_path.rglob("run.sqlite")}
        assert {path.parent for path in made} == {tmp_path / "runs"}


@pytest.mark.parametrize(
    "id_", ["../../x/test/00", "/etc/test/00", "meeting_place/test/../../00", "meeting_place/x/00"]
)
def test_an_id_that_is_a_path_is_no_scenario(cli, meeting, bank, id_, tmp_path):
    said = bank(lambda row: row.update(id=id_))
    error = cli("run", "hico", *meeting, *said, "--out", "run", code=2).stderr
    assert "bank.jsonl:1:" in error
    assert not (tmp_path / "run").exists()


def test_text_of_a_bank_is_no_template_for_a_speaker(cli, meeting, bank, stub, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    trap = (
        "{{ 7 * 7 }} {% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %} ${HOME} !!python/name:x"
    )
    said = bank(lambda row: row["public"].update(story=trap))
    cli("run", "hico", *meeting, *said, "--agent", "openai/stub", "--api-base", stub.url, "--turns", 2, "--json")
    systems = {body["messages"][0]["content"] for body in stub.bodies}
    assert systems
    assert all(trap in system for system in systems)


@pytest.mark.parametrize("line", ["!!python/object/apply:os.system ['touch owned']", "__import__('os')", "%PDF-1.4"])
def test_a_bank_that_is_no_json_is_refused_and_runs_nothing(cli, meeting, tmp_path, line):
    (tmp_path / "bank.jsonl").write_text(line + "\n")
    assert "bank.jsonl:1: not JSON" in cli("run", "hico", *meeting, "--bank", "bank.jsonl", code=2).stderr
    assert not (tmp_path / "owned").exists()
