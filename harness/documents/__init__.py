"""Documents for people: blocks of plain text, and three renderers without words of their own."""
