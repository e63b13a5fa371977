"""The doors, one file for each thing that is installed: a file that lies here is found.

A file may hold several doors, such as one for each transport. It imports what it stands for only
within functions, because most doors are not installed where the list of doors is made.
"""
