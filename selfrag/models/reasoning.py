"""Reasoning models think aloud in ``<think>...</think>`` first: that is not the answer."""

_OPENINGS = ("<think>", "<thinking>", "<reasoning>")


class ThoughtFilter:
    """Takes the thinking from the head of a text that arrives in pieces.

    Only the head is looked at: a tag later in an answer is part of the answer.
    """

    def __init__(self) -> None:
        self._held = ""
        self._closing = ""
        self._passing = False

    def feed(self, piece: str) -> str:
        """What of the text so far belongs to the answer and was not given out yet."""
        if self._passing:
            return piece
        self._held += piece
        if not self._closing:
            head = self._held.lstrip()
            opening = next((tag for tag in _OPENINGS if head.lower().startswith(tag)), None)
            if opening is None:
                if any(tag.startswith(head.lower()) for tag in _OPENINGS):
                    return ""
                self._passing = True
                return head
            self._closing = opening.replace("<", "</")
            self._held = head[len(opening) :]
        end = self._held.lower().find(self._closing)
        if end >= 0:
            self._held = self._held[end + len(self._closing) :]
            self._closing = ""
            return self.feed("")
        return ""

    def end(self) -> str:
        """What is left when the text is over: nothing, unless it only began like a thought."""
        left = "" if self._closing or self._passing else self._held.strip()
        self._held = ""
        return left
