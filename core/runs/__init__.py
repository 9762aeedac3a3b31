"""Runs: a suite played by given agents with a seed, kept in one folder, resumable."""

from adidem.core.runs.config import RunConfig, changed_keys
from adidem.core.runs.execute import Progress, execute
from adidem.core.runs.plan import Job, plan_jobs, spread
from adidem.core.runs.store import RunStore

__all__ = ["Job", "Progress", "RunConfig", "RunStore", "changed_keys", "execute", "plan_jobs", "spread"]
