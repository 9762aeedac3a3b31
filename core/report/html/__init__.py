"""The report as one HTML file: no script, no request, every text escaped."""
