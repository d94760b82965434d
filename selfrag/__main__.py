"""``python -m selfrag``: the command line."""

from selfrag.interfaces.cli import main

if __name__ == "__main__":
    main()
