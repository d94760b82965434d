"""What may be asked, on every way in."""

import unicodedata

from selfrag.errors import UserError

MAX_QUERY = 8_000  #: characters of a question; a paragraph is a few hundred

_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})  #: categories of Unicode that show nothing


def is_blank(text: str) -> bool:
    """Whether nothing of it can be seen: white space, zero-width characters, controls."""
    return all(unicodedata.category(character) in _UNSEEN for character in text)


def check_query(query: str) -> str:
    """The query without surrounding white space and NULs.

    Raises:
        UserError: it is blank or longer than ``MAX_QUERY`` characters.
    """
    # What is no valid text (half a character from a shell) becomes a question mark.
    query = query.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ").strip()
    if is_blank(query):
        raise UserError("The question is empty: type what you want to know.")
    if len(query) > MAX_QUERY:
        raise UserError(
            f"The question has {len(query):,} characters; at most {MAX_QUERY:,} can be asked. "
            "Shorten it, or put long material into a PDF and add it to your documents."
        )
    return query
