"""The files of an exported task, as templates of Jinja."""
