"""Documents for people: blocks of plain text, and three renderers that add no text."""
