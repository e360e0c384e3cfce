# SPDX-License-Identifier: Apache-2.0
"""The index.html that zuul-jobs writes into each folder of a job's logs when it uploads them."""

import re

#: Bytes at the beginning of an index that are looked at: both titles, and more.
HEAD = 4096
#: Fixed in zuul-jobs' Indexer since 2018; the title is the folder's name, which it does not escape.
_BEGINNING = re.compile(
    rb"<html><head><title>(Index of [^\n]{0,1500}?)</title></head><body>\n<h1>\1</h1>\n"
    rb"<table><tr><th></th><th>Name</th><th>Last Modified</th><th>Size</th></tr>"
)


def is_generated_index(head: bytes) -> bool:
    """True if an index.html begins as zuul-jobs' does. head: its first HEAD bytes, inflated."""
    return _BEGINNING.match(head) is not None
