"""Parity: the same calls through any door give the same digest and the same score.

A *door* is one way to work a day: our harness over a transport, a framework, an MCP client. A
*script* is a day and the calls to make on it. Each door in ``doors`` plays the scripts, and its
results are compared with the same calls made at the seat, that is, with `Day.step`.
"""
