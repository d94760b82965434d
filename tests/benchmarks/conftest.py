"""What benchmarks share: a line for each ratio that was measured."""

import pytest


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]):
    """Prints a measured figure past pytest's capture, so that it is seen without ``-s``."""

    def say(text: str) -> None:
        with capsys.disabled():
            print(f"\n    {text}")

    return say
