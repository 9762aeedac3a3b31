"""A run goes on by all that it was begun with: what its words brought to it, and the options of all that plays."""

import json

import pytest
import yaml

from adidem.core.runs.store import RunStore

SAID = "goes on with the settings that it was begun with: "


def last(result):
    return json.loads(result.stdout.splitlines()[-1])["episodes"]


@pytest.fixture
def hum(cli, tmp_path):
    """`run hico` behind a barrier of one's own, with the registry's `rate`."""
    cli("new", "barrier", "hum")

    def words(rate, *more):
        registry = {"plugins": ["hum.py"], "barriers": {"hum": {"rate": rate}}}
        (tmp_path / "registry.yaml").write_text(yaml.safe_dump(registry))
        return "run", "hico", "--limit", 4, "--barrier", "hum:0.9", "--out", "r5", "--json", *more

    return words


def test_two_barriers_of_one_name_are_not_mixed(cli, hum, tmp_path):
    cli(*hum(0.9))
    with RunStore(tmp_path / "r5", write=True) as store:
        config = store.get("config")
        assert config["components"]["barrier.hum"] == {"rate": 0.9}
    told = cli(*hum(0.0, "--resume")).stderr
    assert f"r5 {SAID}components.barrier.hum.rate 0.9 (begun now it would be 0.0)" in told
    wished = cli(*hum(0.9, "--set", "barriers.hum.rate=0.0", "--resume"), code=2).stderr
    assert "components.barrier.hum.rate: was 0.9, is now 0.0" in wished


def test_a_run_from_before_options_of_barriers_were_kept_goes_on(cli, hum, tmp_path):
    cli(*hum(0.9))
    with RunStore(tmp_path / "r5", write=True) as store:
        config = store.get("config")
        del config["components"]["barrier.hum"]
        store.put("config", config)
    assert last(cli(*hum(0.9, "--resume")))["owed"] == 0
