"""Built-in families: kinds of coordination problem, with their checkers and settings."""
