# SPDX-License-Identifier: Apache-2.0
"""What all sources of objects share: Swift, and the stores of buckets.

An object has a container, which is a bucket elsewhere, and a name in it. A source says how these are
requested; here is what is made of the answers.
"""
