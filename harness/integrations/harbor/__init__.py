"""Days as tasks of Harbor: the export, and an environment that needs no containers.

    trainee-bench export harbor quickstart tasks
    harbor run -p tasks -a oracle

Of the modules here, only `environment` needs Harbor.
"""
