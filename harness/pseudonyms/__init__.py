"""Replaces people, companies, addresses and numbers in the folder of an office by invented ones.

folder ──collecting──► evidence ──naming──► pseudonyms ──replacing──► folder, report

`folder.py` has the door for an office, `texts.py` the one for single texts. No language model takes
part: names come from structured places, patterns and lists, and doubtful places are reported.
"""
