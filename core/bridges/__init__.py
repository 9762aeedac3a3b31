"""adidem's tasks as environments of other tools: inspect_ai, verifiers, TRL. Each is thin: an episode is played and
scored here, and the tool only answers what the tested agent is asked."""
