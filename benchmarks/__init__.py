# SPDX-License-Identifier: Apache-2.0
"""Measurements of this project, with the client of `oslogserve bench`. The package does not import them.

* ``comparison`` compares oslogserve with nginx, zcat and swift download (``make bench``).
* ``experiments`` writes the figures of doc/experiments.rst (``make experiments``).
* ``scaling`` measures the costs of requests and writes the tables of doc/scaling.rst.

The modules next to them are shared: ``lab`` starts the servers, ``fetch`` fetches logs from them,
``report`` writes figures and tables, ``charts`` draws, and ``processes`` reads /proc.
"""
