"""Studies: configurations and seeds from one start, cell by cell, each in a process of its own; their tables."""
