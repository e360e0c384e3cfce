# SPDX-License-Identifier: Apache-2.0
from oslogserve.bench.samples import Sample


def sample(source="disk", **values):
    """A sample of which only what is named matters."""
    usual = {
        "name": "a.txt",
        "started": 0.0,
        "sent": 0.001,
        "response": 0.01,
        "transfer": 0.02,
        "total": 0.031,
        "size": 1000,
        "status": 200,
    }
    return Sample(source, **{**usual, **values})
