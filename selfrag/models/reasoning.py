"""Reasoning models think aloud in ``<think>...</think>`` first: that is not the answer.

Some chat templates write the first tag into the prompt, so that only the last one arrives. A
model that does so is remembered; from then on its text is held back until the thinking is over.
"""

import re

_TAGS = ("think", "thinking", "reasoning")
_OPENINGS = tuple(f"<{tag}>" for tag in _TAGS)
_CLOSING = re.compile(rf"</(?:{'|'.join(_TAGS)})>", re.IGNORECASE)
_LONGEST = max(map(len, _OPENINGS)) + 1

_unannounced: set[tuple[str, str]] = set()


def without_reasoning(text: str) -> str:
    """``text`` without the thoughts at its head, announced or not; empty where one never ends."""
    while text.lstrip().lower().startswith(_OPENINGS) or is_unannounced(text):
        closing = _CLOSING.search(text)
        if closing is None:
            return ""
        text = text[closing.end() :]
    return text.strip()


def is_unannounced(text: str) -> bool:
    """Whether ``text`` ends a thought that it never began."""
    closing = _CLOSING.search(text)
    return closing is not None and not any(
        opening in text[: closing.start()].lower() for opening in _OPENINGS
    )


def remember_unannounced(endpoint: str, model: str) -> None:
    """``model`` begins to think without saying so."""
    _unannounced.add((endpoint, model))


def thinks_unannounced(endpoint: str, model: str) -> bool:
    """Whether ``model`` was seen to begin to think without saying so."""
    return (endpoint, model) in _unannounced


class ThoughtFilter:
    """Takes the thinking from the head of a text that arrives in pieces.

    Args:
        unannounced: the text begins with a thought even where no tag says so. If none ends,
            it was an answer after all, and `end` gives it out.

    Attributes:
        too_late: a thought ended that had been taken for the answer.
    """

    def __init__(self, *, unannounced: bool = False) -> None:
        self.too_late = False
        self._held = ""
        self._thinking = self._guessed = unannounced
        self._passing = False

    def feed(self, piece: str) -> str:
        """What of the text so far belongs to the answer and was not given out yet."""
        self._held += piece
        if self._passing:
            self.too_late = self.too_late or bool(_CLOSING.search(self._held))
            self._held = self._held[-_LONGEST:]
            return piece
        if not self._thinking:
            head = self._held.lstrip()
            opening = next((tag for tag in _OPENINGS if head.lower().startswith(tag)), None)
            if opening is None:
                if any(tag.startswith(head.lower()) for tag in _OPENINGS):
                    return ""
                self._passing, self._held = True, ""
                return self.feed(head)
            self._thinking = True
            self._held = head[len(opening) :]
        closing = _CLOSING.search(self._held)
        if closing is None:
            return ""
        self._thinking = self._guessed = False
        self._held = self._held[closing.end() :]
        return self.feed("")

    def end(self) -> str:
        """What is left when the text is over: nothing, unless it only seemed to be a thought."""
        left = "" if self._passing or (self._thinking and not self._guessed) else self._held
        self._held = ""
        return left.strip()
