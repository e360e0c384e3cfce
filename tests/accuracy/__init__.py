# SPDX-License-Identifier: Apache-2.0
"""`oslogserve bench get` compared with a server that knows its delays, and with wrk."""
