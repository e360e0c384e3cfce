# SPDX-License-Identifier: Apache-2.0
from oslogserve.pages.address import address


def test_an_address_keeps_the_parameters_in_their_order_and_adds_others_behind_them():
    parameters = (("q", "a b"), ("level", "ERROR"), ("q", "c&d"))
    assert address(parameters, ("level",), lines="2-") == "?q=a+b&q=c%26d&lines=2-"


def test_an_address_leaves_out_what_is_empty():
    assert address((("q", ""), ("re", "x")), lines="", tail=5) == "?re=x&tail=5"
    assert address() == "?"
