"""Several runs together: a leaderboard, and comparisons in pairs."""
