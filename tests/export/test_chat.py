"""Chat messages and preferences: what the tested seat was shown, read by `datasets` and TRL."""

import json
from pathlib import Path

import pytest

from adidem.core.runs.store import RunStore


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def chat(cli, played):
    cli("export", played, "--format", "chat", "--out", "chat")
    return Path("chat")


def test_messages_are_the_tested_seat_s_side(chat, played) -> None:
    """System, then user and assistant in turn; nothing that the partner alone knows before it says so."""
    found = lines(chat / "sft.jsonl")
    with RunStore(played) as store:
        episodes = {(e.task, e.barrier, e.repeat): e for e in store.episodes()}
        scenarios = {s.id: s for s in store.scenarios()}
    assert len(found) == len(episodes)
    for line in found:
        episode = episodes[line["task"], line["barrier"], line["repeat"]]
        roles = [message["role"] for message in line["messages"]]
        assert roles == ["system", *["user", "assistant"] * (len(roles) // 2)]
        own = [turn.text for turn in episode.turns if turn.seat == episode.seat]
        said = [message["content"] for message in line["messages"] if message["role"] == "assistant"]
        assert [text.removesuffix("[END]").strip() for text in said[:-1]] == own
        record = episode.records[episode.seat]
        assert json.loads(said[-1]) == {"outcome": record.outcome, "terms": record.terms}
        for condition in scenarios[episode.scenario].world(episode.world).conditions:
            assert (condition.text in line["messages"][0]["content"]) == (condition.owner == episode.seat)


def test_pairs_are_of_one_task_and_part_at_the_tested_seat_s_words(chat) -> None:
    """Chosen is said in a verified episode and rejected in one that is not, after the same prompt."""
    told = lines(chat / "sft.jsonl")
    pairs = lines(chat / "preferences.jsonl")
    assert pairs
    for pair in pairs:
        [chosen], [rejected] = pair["chosen"], pair["rejected"]
        assert chosen["role"] == rejected["role"] == "assistant"
        assert chosen != rejected
        start = len(pair["prompt"]) + 1
        mine = [t for t in told if (t["task"], t["barrier"]) == (pair["task"], pair["barrier"])]
        after = {json.dumps(t["messages"][:start]): t["verified_success"] for t in mine}
        assert after[json.dumps([*pair["prompt"], chosen])] is True
        assert after[json.dumps([*pair["prompt"], rejected])] is False


@pytest.mark.slow
def test_datasets_and_trl_read_both(chat) -> None:
    datasets = pytest.importorskip("datasets")
    utils = pytest.importorskip("trl.data_utils")
    from tiny_chat import tokenizer

    sft = datasets.load_dataset("json", data_files=str(chat / "sft.jsonl"), split="train", cache_dir="cache")
    pairs = datasets.load_dataset("json", data_files=str(chat / "preferences.jsonl"), split="train", cache_dir="cache")
    assert len(sft) == 32
    for row in (sft[0], pairs[0]):
        assert utils.is_conversational(row)
    text = utils.apply_chat_template({"messages": sft[0]["messages"]}, tokenizer())["text"]
    assert sft[0]["messages"][-1]["content"] in text
    pair = utils.apply_chat_template({key: pairs[0][key] for key in ("prompt", "chosen", "rejected")}, tokenizer())
    assert pairs[0]["chosen"][0]["content"] in pair["chosen"]
    assert pair["prompt"].endswith("<|im_start|>assistant\n")


def test_what_is_there_is_left_alone(cli, chat, played) -> None:
    assert "exists" in cli("export", played, "--format", "chat", "--out", "chat", code=2).stderr


def test_an_unknown_format_gets_the_nearest(cli, played) -> None:
    assert "parquet" in cli("export", played, "--format", "parket", code=2).stderr


@pytest.fixture(scope="session")
def negotiated(tmp_path_factory):
    """Two negotiations, four times each, by somebody plain and somebody vague."""
    from command_line import called

    folder = tmp_path_factory.mktemp("export") / "negotiated"
    words = (
        "run",
        "casino",
        "--agent",
        "scripted:candid",
        "--barrier",
        "semantic_vagueness:1",
        "--barrier-on",
        "agent",
    )
    called(*words, "--repeats", "4", "--seed", "2", "--quiet", "--out", folder)
    return folder


def test_where_nothing_is_verified_pairs_go_by_another_score(cli, negotiated) -> None:
    """The best of a task against each that is worse; by the headline there are none."""
    cli("export", negotiated, "--format", "chat", "--out", "plain")
    assert lines(Path("plain/preferences.jsonl")) == []
    cli("export", negotiated, "--format", "chat", "--by", "negotiation.points", "--out", "chat")
    told, pairs = lines(Path("chat/sft.jsonl")), lines(Path("chat/preferences.jsonl"))
    assert pairs
    for pair in pairs:
        mine = [t for t in told if (t["task"], t["barrier"]) == (pair["task"], pair["barrier"])]
        start = len(pair["prompt"]) + 1
        points = {}
        for each in mine:
            points.setdefault(json.dumps(each["messages"][:start]), []).append(each["scores"]["negotiation.points"])
        best = max(each["scores"]["negotiation.points"] for each in mine)
        assert best in points[json.dumps([*pair["prompt"], *pair["chosen"]])]
        assert min(points[json.dumps([*pair["prompt"], *pair["rejected"]])]) < best


def test_a_score_that_no_episode_has_makes_no_folder(cli, negotiated) -> None:
    said = cli("export", negotiated, "--format", "chat", "--by", "negotiation.point", "--out", "chat", code=2).stderr
    assert "negotiation.points" in " ".join(said.split())
    assert not Path("chat").exists()
