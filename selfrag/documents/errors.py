"""Why a file could not be read, each as a sentence that ends with what to do."""

from selfrag.errors import UserError


class UnreadablePdf(UserError):
    """The file is no PDF, is empty or is damaged beyond what two readers can mend."""


class PasswordNeeded(UserError):
    """The file opens only with a password, and none or a wrong one was given.

    Args:
        message: the sentence for the person.
        wrong: True where a password was given and refused.
    """

    def __init__(self, message: str, *, wrong: bool = False) -> None:
        super().__init__(message)
        self.wrong = wrong


class TooManyPages(UserError):
    """The file has more pages than the limit allows."""


class ReadingStopped(UserError):
    """Reading used more time or memory than allowed, crashed the reader or was cancelled.

    Args:
        message: the sentence for the person.
        cancelled: True where the person asked for it.
    """

    def __init__(self, message: str, *, cancelled: bool = False) -> None:
        super().__init__(message)
        self.cancelled = cancelled


class OcrMissing(UserError):
    """Text recognition was asked for and tesseract is not installed, or it failed."""
