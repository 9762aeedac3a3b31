"""The fixture `law`: one test for each law of each component of the package."""

pytest_plugins = ["adidem.testing"]
