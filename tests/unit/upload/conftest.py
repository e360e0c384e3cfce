# SPDX-License-Identifier: Apache-2.0
from contextlib import ExitStack

import pytest

from oslogserve.upload.payload import payload_of


@pytest.fixture
def payload(tmp_path):
    """Makes a payload in segments of 10 bytes."""
    with ExitStack() as opened:

        def make(stored):
            (tmp_path / "core.bin").write_bytes(stored)
            file = opened.enter_context((tmp_path / "core.bin").open("rb"))
            return opened.enter_context(payload_of(file, len(stored), "core.bin", 10, True))

        yield make
