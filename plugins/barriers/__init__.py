"""Built-in barriers: patterned ways of talking that break understanding."""
