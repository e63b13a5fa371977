"""The files of an exported task, as Jinja templates."""
