# SPDX-License-Identifier: Apache-2.0
"""An oracle of answers: a plain computation of what the manual promises, compared with the application's.

It is written from the manual and imports nothing of the server. `logs` generates jobs, `questions` asks
random queries, `selection` computes a log's lines, `folder` those of a folder, `answers` reads what came,
`judge` compares both.
"""
