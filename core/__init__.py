"""The minimal pluggy core of adidem and the wings that run it."""
