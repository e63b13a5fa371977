"""Integrations that other frameworks load to work our days, one folder each.

A framework is imported only within its folder, so that everything else runs without it.
"""
