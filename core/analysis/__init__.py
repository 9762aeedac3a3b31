"""Analysis: outcomes of episodes and statistics over them."""
