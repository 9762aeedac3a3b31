"""Ratings by people: blinded sheets out of a run, finished sheets back into it, and what `agree` compares."""
