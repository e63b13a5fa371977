"""Agents of other frameworks, each a script; its task names the addresses of model and office.

    python NAME.py TASK.json

They run in separate environments and import nothing of this project.
"""
