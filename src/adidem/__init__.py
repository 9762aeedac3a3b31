"""adidem: measure, and train, language agents that end a conversation in verified agreement."""

__version__ = "0.1.0"
