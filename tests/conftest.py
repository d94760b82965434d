"""Fixtures shared by all tests."""

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real documents beside the project; tests that need it are skipped without."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the folder of real documents is not beside the project")
    return SHARED_DATA
