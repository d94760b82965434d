"""Names that people write and browsers send."""

import pytest

from selfrag.documents.names import given_name, sent_name
from selfrag.errors import UserError


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Q1/Q2 report", "Q1-Q2 report"),
        ("<b>hi</b>", "<b>hi<-b>"),
        ("a\\b.pdf", "a-b.pdf"),
        ("  two\nlines ", "two lines"),
        ("報告", "報告"),
    ],
)
def test_a_name_that_is_written_is_no_path(written: str, shown: str):
    assert given_name(written) == shown


@pytest.mark.parametrize("written", ["", "  ", "\u200b\u200d", "\u3164", "\u2800 \ufe0f", "\x00"])
def test_a_name_of_nothing_that_can_be_seen_is_refused(written: str):
    with pytest.raises(UserError, match="can be seen"):
        given_name(written)


def test_what_a_form_writes_for_a_quote_is_a_quote_again():
    assert sent_name("the %22big%22 one.pdf") == 'the "big" one.pdf'
    assert sent_name("100%25.pdf") == "100%25.pdf"
