"""`python -m adidem`."""

from adidem.core.cli.main import main

if __name__ == "__main__":
    main()
