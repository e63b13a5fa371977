"""Agents of other frameworks, each a script: the model and the office are where its task says.

    python NAME.py TASK.json

They run in environments of their own and import nothing of this project.
"""
