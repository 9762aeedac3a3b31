"""How the families hear: one file for each thing that people speak of, its cues in the YAML file of the same name.

Nothing here is imported before an utterance is heard. Each knows the public words of a scenario, nothing private.
"""
