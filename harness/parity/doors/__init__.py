"""The doors, one file for each installable software; files in this folder are found automatically.

A file may hold several doors, such as one for each transport. It imports that software only within
functions, because most of it is not installed where the list of doors is made.
"""
