"""A policy that trains all its weights: what its scores are made of, and that it goes on where it was."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from adidem.core.policy.scoring import score
from adidem.core.policy.stored import read_card
from adidem.core.policy.tiny import Shape, tiny
from adidem.core.policy.weights import WeightsPolicy
from letters import VOCABULARY, Letters

SMALL = Shape(width=32, layers=2, heads=2, inner=48, positions=128)


def policy(seed: int = 0, **options: bool) -> WeightsPolicy:
    return tiny(Letters(), VOCABULARY, SMALL, seed=seed, **options)


def batch(rows: int = 3, n: int = 12, seed: int = 1) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, VOCABULARY, (rows, n), generator=generator)
    return ids, torch.tensor([n - 3 * row for row in range(rows)])


def test_the_lab_model_has_about_half_a_million_parameters() -> None:
    made = tiny(Letters(), 300)
    assert 0.4e6 < sum(each.numel() for each in made.model.parameters()) < 0.6e6


def test_scores_are_the_models_log_probs_under_the_temperature() -> None:
    """Against the model's own logits, for the tokens 1 … n-1 of every row."""
    p = policy()
    ids, lengths = batch()
    found = p.score(ids, lengths, temperature=0.7)
    wanted = (p.model(ids).logits.float() / 0.7).log_softmax(-1)[:, :-1]
    logp = wanted.gather(-1, ids[:, 1:, None])[..., 0]
    entropy = -(wanted.exp() * wanted).sum(-1)
    for row, length in enumerate(lengths):
        assert torch.allclose(found.logp[row, : length - 1], logp[row, : length - 1], atol=1e-5)
        assert torch.allclose(found.entropy[row, : length - 1], entropy[row, : length - 1], atol=1e-4)
        assert not found.logp[row, length - 1 :].any()


def test_trap_10_log_probs_do_not_depend_on_padding() -> None:
    """A row alone, and the same row padded with ids that mean something, beside others."""
    p = policy()
    ids, lengths = batch()
    whole = p.score(ids, lengths, temperature=1.0).logp
    for row, length in enumerate(lengths.tolist()):
        alone = p.score(ids[row : row + 1, :length], torch.tensor([length]), temperature=1.0).logp
        assert torch.allclose(whole[row, : length - 1], alone[0], atol=1e-5)


def test_trap_2_a_pad_that_is_also_an_end_token_counts_where_it_is_real() -> None:
    """The end token is the pad: inside the length it is scored, beyond it it is not."""
    p = policy()
    ids = torch.full((1, 6), p.codec.pad)
    assert (p.score(ids, torch.tensor([4]), temperature=1.0).logp[0] != 0).tolist() == [True] * 3 + [False] * 2


def test_chosen_tokens_have_the_same_scores_and_gradient() -> None:
    """`where` leaves out work, not truth."""
    p = policy()
    ids, lengths = batch()
    where = torch.zeros(3, 11, dtype=torch.bool)
    where[0, 4:6], where[1, 2] = True, True
    few, every = (p.score(ids, lengths, temperature=1.0, values=True, where=w) for w in (where, None))
    assert torch.allclose(few.logp[where], every.logp[where], atol=1e-6)
    assert torch.equal(few.logp != 0, where)
    first = torch.autograd.grad(few.logp.sum(), p.model.lm_head.weight)[0]
    second = torch.autograd.grad(every.logp[where].sum(), p.model.lm_head.weight)[0]
    assert torch.allclose(first, second, atol=1e-5)


def test_the_value_head_starts_at_nought_and_detaches_where_told() -> None:
    ids, lengths = batch()
    for detach in (False, True):
        p = policy(detach=detach)
        assert not p.score(ids, lengths, temperature=1.0, values=True).value.any()
        torch.nn.init.normal_(p.head.outer.weight)
        p.score(ids, lengths, temperature=1.0, values=True).value.sum().backward()
        assert (p.model.model.layers[0].mlp.up_proj.weight.grad is None) == detach
        assert p.head.inner.weight.grad is not None


def test_trap_11_the_reference_stays_what_training_started_from() -> None:
    """An update moves the policy and not the reference; a stage that starts makes its start the reference."""
    p = policy()
    ids, lengths = batch()
    before = p.score(ids, lengths, temperature=1.0).logp.detach()
    perturb(p)
    assert torch.allclose(p.reference(ids, lengths, temperature=1.0), before, atol=1e-6)
    now = p.score(ids, lengths, temperature=1.0).logp.detach()
    assert not torch.allclose(now, before, atol=1e-3)
    p.anchor()
    assert torch.allclose(p.reference(ids, lengths, temperature=1.0), now, atol=1e-6)


def test_the_base_partner_stays_the_same_in_every_stage() -> None:
    """What the run started from, after two stages and where a run goes on in the midst of its second."""
    p = policy()
    ids, lengths = batch()

    def base(of: WeightsPolicy) -> torch.Tensor:
        return score(of.origin, ids, lengths, temperature=1.0).logp

    first = base(p)
    p.anchor()
    assert p.origin is p.start, "one copy is enough where nothing moved"
    for _ in range(2):
        perturb(p)
        p.anchor()
        assert torch.equal(base(p), first)
        assert not torch.allclose(p.reference(ids, lengths, temperature=1.0), first, atol=1e-3)
    going_on = policy()
    going_on.restore(p.state())
    assert torch.equal(base(going_on), first)
    assert torch.equal(going_on.reference(ids, lengths, temperature=1.0), p.reference(ids, lengths, temperature=1.0))


def test_trap_16_a_restored_policy_takes_the_same_next_update() -> None:
    """Weights, value head and reference come back, so the next step's weights are equal to the bit."""
    one, two = policy(), policy(seed=5)
    perturb(one)
    two.restore(one.state())
    ids, lengths = batch()
    after = []
    for p in (one, two):
        optimizer = torch.optim.AdamW(p.groups(), lr=1e-3)
        found = p.score(ids, lengths, temperature=1.0, values=True)
        kl = p.reference(ids, lengths, temperature=1.0) - found.logp
        (found.logp.sum() + found.value.pow(2).sum() + kl.sum()).backward()
        optimizer.step()
        after.append([each.detach().clone() for group in p.groups() for each in group["params"]])
    assert all(torch.equal(a, b) for a, b in zip(*after, strict=True))


def test_what_is_saved_says_what_it_is(tmp_path: Path) -> None:
    policy().save(tmp_path)
    card = read_card(tmp_path)
    assert card is not None
    assert (card.kind, card.codec, card.value) == ("weights", "letters", True)
    assert (tmp_path / "letters.json").is_file()


def test_the_seed_alone_makes_the_weights() -> None:
    """Whatever was drawn before, and nothing global is moved."""
    torch.manual_seed(3)
    state = torch.get_rng_state()
    one = policy()
    assert torch.equal(torch.get_rng_state(), state)
    torch.rand(5)
    assert torch.equal(one.model.lm_head.weight, policy().model.lm_head.weight)
    assert not torch.equal(one.model.lm_head.weight, policy(seed=1).model.lm_head.weight)


@pytest.mark.parametrize("temperature", [0.0, -1.0])
def test_log_probs_at_no_temperature_are_refused(temperature: float) -> None:
    ids, lengths = batch()
    with pytest.raises(ValueError, match="above 0"):
        policy().score(ids, lengths, temperature=temperature)


def perturb(p: WeightsPolicy, by: float = 0.05) -> None:
    """Move every trained weight, as an update would."""
    generator = torch.Generator().manual_seed(9)
    with torch.no_grad():
        for group in p.groups():
            for each in group["params"]:
                each.add_(by * torch.randn(each.shape, generator=generator))
    p.changed()
