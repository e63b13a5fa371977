"""What the website's monitor measures: its servers and pages, and readings as pure functions.

A reading depends only on the day's seed, the simulated time, the incidents and the response to
them, so nothing needs to be stored while time passes.
"""
