"""MultiWOZ in parts: goals and dialogues in two layouts, the venue databases, tools over them, measures, scripts."""
