"""OpenEnv: the office as an environment server, with a choice of splits and tasks.

`server.create_office_app` makes the server, `environment.OpenEnvOffice` is the environment.
"""
