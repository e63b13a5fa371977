"""What other frameworks load to work our days, a folder each.

A framework is imported only within its own folder, so that everything else runs without it.
"""
