"""The pictures of README and docs, made from shipped days: ``python -m docs.pictures``."""
