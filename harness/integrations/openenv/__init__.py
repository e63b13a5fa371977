"""For OpenEnv: the office as an environment server, with splits and tasks to choose from.

`server.create_office_app` makes the server, `environment.OpenEnvOffice` is the environment.
"""
