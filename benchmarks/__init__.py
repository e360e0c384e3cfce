# SPDX-License-Identifier: Apache-2.0
"""Measurements of this project, by the client of `oslogserve bench`. The package imports none of them.

* ``comparison`` compares oslogserve with nginx, zcat, swift download and whitenoise (``make bench``).
* ``experiments`` writes the figures of doc/experiments.rst (``make experiments``).
* ``scaling`` measures what a request costs and writes the tables of doc/scaling.rst.

The modules next to them are shared: ``lab`` starts the servers, ``fetch`` fetches logs from them,
``report`` writes figures and tables, ``charts`` draws, and ``processes`` reads /proc.
"""
