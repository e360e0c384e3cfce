# SPDX-License-Identifier: Apache-2.0
import tempfile
from pathlib import Path

import pytest

TMPFS = "/dev/shm"


@pytest.fixture
def any_time():
    """A folder whose files may be of any time: ext4 and its like end with the year 2446."""
    if not Path(TMPFS).is_dir():
        pytest.skip(f"{TMPFS} is not there")
    with tempfile.TemporaryDirectory(dir=TMPFS) as name:
        yield Path(name)
