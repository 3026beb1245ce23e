"""The embedded model, loaded once for all tests."""

import pytest

import skald


@pytest.fixture(scope="session")
def model():
    with skald.Model(threads=2) as model:
        yield model
