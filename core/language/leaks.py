"""Where output format leaks into speech: JSON, tags, record fields, templates that were not filled in."""

from __future__ import annotations

import re

from adidem.core.language.clauses import Span, level
from adidem.core.language.patterns import Pattern

_FIELD = (
    r"(?:outcome|record|terms|shares?|action|amount|approved_by|approver|quantity|start|end|slots?|items|decision"
    r"|agreement|status|plan|result|final_[a-z]+|start_time|end_time)"
)
# Of these alone, and with a value that a record would hold: people do write "Plan: we meet at the gate".
_SURE_FIELD = r"(?:outcome|action|amount|approved_by|approver|quantity|start|end|items|start_time|end_time)"
_OUTCOMES = r"(?:agree|decline|defer|agreed|declined|deferred)"
_VALUE = r"[\"'\[{]?[\w$€£][^\n,;|]{0,40}?"
_ROLE = r"(?:system|assistant|user|human|speaker|agent)"
_SLOT = (
    r"(?:your|insert|name|partner|time|date|amount|number|quantity|item|items|start|end|action|approver|outcome|value)"
)
_STRUCTURED = Pattern(
    r"(?P<fence>```[\s\S]*?(?:```|\Z))"
    r"|(?P<object>\{\s*(?:[\"'][\w ]+[\"']|[a-z]+_[a-z_]+|" + _FIELD + r")\s*:[^{}]*(?:\{[^{}]*\}[^{}]*)*\}?)"
    r"|(?P<pair>[\"'][a-z_]{2,30}[\"']\s*:\s*(?:[\"'\[{]|-?[0-9]|true|false|null))"
    r"|(?P<list>\[\s*\"[^\"\]\n]{1,60}\"(?:\s*,\s*\"[^\"\]\n]{1,60}\")*\s*\])"
    r"|(?P<tag></?(?:record|json|output|answer|response|outcome|terms|plan|action|result|xml|tool_call|function|think"
    r"|thinking|system|assistant|user|name|amount|time|item|items|date|start|end|slot|slots|quantity)\b[^<>\n]{0,60}/?>"
    r"|<\|[a-z_]+\|>|\[/?inst\]|</?s>)"
    rf"|(?P<outcome>\b(?:outcome|final[ _]outcome|status|decision)\s*[:=]\s*[\"'*]*{_OUTCOMES}\b)"
    rf"|(?P<bullets>(?:^[ ]*(?:[-*•]|[0-9]+[.)])[ ]+[*_`\"]*{_FIELD}[*_`\"]*\s*[:=][^\n]*(?:\n|\Z)){{1,}})"
    rf"|(?P<lines>(?:^[ ]*[*_`\"]*{_FIELD}[*_`\"]*\s*[:=][^\n]+(?:\n|\Z)){{2,}})"
    rf"|(?P<under>(?<=\n)[ ]*[*_`\"]*{_SURE_FIELD}[*_`\"]*\s*[:=]\s*{_VALUE}[ ]*(?:\n|\Z))"
    rf"|(?P<row>\b{_SURE_FIELD}\s*[:=]\s*{_VALUE}\s*[,;|/]\s*{_SURE_FIELD}\s*[:=]\s*{_VALUE}(?=[\s,;|.!?)]|\Z))"
    r"|(?P<path>\b(?:slots?|shares?|terms|record|plan)(?:\.[a-z][\w-]*|\[[^\]\n]{1,30}\])+\s*[:=]\s*\S+)"
    rf"|(?P<assigned>\b{_SURE_FIELD}\s?=\s?[\"'$€£]?\w[^\s,;]*)"
    r"|(?P<heading>^[ ]*(?:#{1,4}[ ]*|\*\*)?(?:final[ ])?(?:record|recorded terms|json|output)(?:\*\*)?\s*:(?:\*\*)?"
    r"|^[ ]*#{1,4}[ ]+\w[^\n]*)"
    rf"|(?P<named>\b(?:approved_by|start_time|end_time|final_[a-z]+|[a-z]+_(?:terms|outcome|record))\s*[:=]\s*\S+)"
    rf"|(?P<role>^[ ]*(?:\[{_ROLE}[^\]\n]{{0,12}}\]|\**{_ROLE}\**\s*(?:[0-9ab])?\s*:))"
    rf"|(?P<blank>[\[{{]+\s*{_SLOT}(?:[ _][a-z_ ]{{1,30}})?\s*[\]}}]+|\{{\{{[^{{}}\n]{{1,40}}\}}\}})"
    r"|(?P<rule>^[ ]*\|[^|\n]+\|[^|\n]+\|[^\n]*$)",
    re.MULTILINE | re.IGNORECASE,
)
_MAYBE_STRUCTURED = Pattern(r"[{}`<#=_\[|]|:")


def structured_text(text: str) -> tuple[Span, ...]:
    """Where output format leaks into speech: JSON, code fences, tags, record headings, record fields with values
    (in lines, in a row, as `slots.Tom: 9:00`), speakers' roles, blanks of a template."""
    if not _MAYBE_STRUCTURED.search(text):
        return ()
    low = level(text)
    return tuple(
        Span(m.start(), m.end(), text[m.start() : m.end()]) for m in _STRUCTURED.finditer(low) if m.group().strip()
    )
