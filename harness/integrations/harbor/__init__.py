"""Days as Harbor tasks: the export, and an environment that needs no containers.

    trainee-bench export harbor quickstart tasks
    harbor run -p tasks -a oracle

Only the module `environment` needs Harbor.
"""
