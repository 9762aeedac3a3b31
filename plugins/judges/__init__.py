"""Built-in judges: what rates an episode on named dimensions."""
