# SPDX-License-Identifier: Apache-2.0
"""All fuzzers, by their names."""

from tests.fuzz.core import Core
from tests.fuzz.decoding import Decoding
from tests.fuzz.excerpts import Excerpts
from tests.fuzz.indexes import Indexes
from tests.fuzz.queries import Queries
from tests.fuzz.renderers import Renderers
from tests.fuzz.requests import Requests

FUZZERS = {
    each.name: each for each in (Renderers, Queries, Decoding, Core, Requests, Indexes, Excerpts)
}
