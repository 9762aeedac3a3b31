"""The laws of barriers."""
