"""The laws of families."""
