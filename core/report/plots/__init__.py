"""Plots of a report with matplotlib, as SVG to stand inside a page; imported when a page is written."""
