"""An episode as one row of a table, nested where a conversation is: the columns of Parquet and of a data set."""

from __future__ import annotations

from typing import Any

import orjson

from adidem.core.domain import SEATS, Episode, Scenario, ToolCall
from adidem.core.outcomes import outcomes_of

Row = dict[str, Any]


def row_of(episode: Episode, scenario: Scenario | None) -> Row:
    """The row of an episode. `feasibility`, `integrity` and `verified_success` are null where unscored; what has
    another shape in each family (terms, raw records, what tools were given and gave) is JSON text."""
    found = outcomes_of(episode)
    names = scenario.public.names if scenario is not None else SEATS
    return {
        "task": episode.task,
        "scenario": episode.scenario,
        "family": episode.family,
        "split": episode.split,
        "world": episode.world,
        "seat": episode.seat,
        "repeat": episode.repeat,
        "barrier": episode.barrier,
        "agent": episode.agents.agent,
        "partner": episode.agents.partner,
        "status": episode.status,
        "cause": episode.cause.kind if episode.cause is not None else None,
        "ended": episode.ended,
        "due": episode.due,
        "feasibility": found.feasibility,
        "integrity": found.integrity,
        "verified_success": found.verified_success,
        "reasons": [failure.rule for failure in episode.feasibility.failures] if episode.feasibility else [],
        "story": scenario.public.story if scenario is not None else None,
        "brief": scenario.public.brief if scenario is not None else None,
        "turns": [
            {
                "seat": turn.seat,
                "name": names[SEATS.index(turn.seat)],
                "action": turn.action,
                "text": turn.text,
                "calls": [_call(call) for call in turn.calls],
            }
            for turn in episode.turns
        ],
        "records": [_record(episode, seat) for seat in SEATS if seat in episode.records],
        "ratings": [
            {"judge": j.judge, "dimension": r.dimension, "seat": r.seat, "score": r.score, "unscored": r.unscored}
            for j in episode.judgements
            for r in j.ratings
        ],
    }


def _call(call: ToolCall) -> Row:
    given, result = orjson.dumps(call.arguments).decode(), orjson.dumps(call.result).decode()
    return {"name": call.name, "arguments": given, "result": result}


def _record(episode: Episode, seat: Any) -> Row:
    written = episode.records[seat]
    return {
        "seat": seat,
        "outcome": written.outcome,
        "terms": None if written.terms is None else orjson.dumps(written.terms).decode(),
        "raw": orjson.dumps(written.raw).decode(),
        "unreadable": written.unreadable,
    }
