"""``python -m selfrag``: the command line."""

import sys

if __name__ == "__main__":
    try:
        from selfrag.interfaces.cli import main

        main()
    except KeyboardInterrupt:
        # Also while modules are imported, where a traceback would say nothing to anyone.
        print("Stopped.", file=sys.stderr)
        sys.exit(130)
