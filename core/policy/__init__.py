"""Models that are trained here: codecs between text and tokens, policies, sampling with a kept cache.

torch is loaded by the modules that need it, when they run.
"""
