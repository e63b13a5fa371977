"""The monitored website: its servers and pages, and their readings as pure functions.

A reading depends only on the day's seed, the simulated time, the incidents and when they were
relieved. So nothing needs to be stored while time passes.
"""
