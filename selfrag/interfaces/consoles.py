"""Where results are printed for a person: a terminal with its width, or a file or pipe that has no
edge, at which nothing is wrapped and nothing cut off, so that `grep` and `cut` find whole lines."""

from rich.console import Console

_NO_EDGE = 100_000  #: columns; rich takes no more room than what is printed needs


def console(*, errors: bool = False) -> Console:
    """Standard output, or standard error; nothing in it is coloured by guessing."""
    made = Console(stderr=errors, highlight=False)
    if not made.is_terminal:
        made.width = _NO_EDGE
    return made
