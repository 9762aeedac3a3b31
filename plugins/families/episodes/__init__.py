"""SOTOPIA-format episodes: their tags, the two published layouts, files read as a stream, and the way back."""
