"""The command line: typer, a file a verb."""
