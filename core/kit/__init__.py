"""The kit for authors of plugins: the laws of every kind of component, and plugins to start from.

Hypothesis, which the laws are tried with, is imported when they are.
"""
