"""MkDocs hook: accessible names for landmarks that the theme leaves unnamed.

The theme labels the navigation of a section with its own page by an icon, and gives the search
dialog no name.
"""

from __future__ import annotations

import re

_NAVIGATION = re.compile(r'(<nav class="md-nav" data-md-level="\d+") aria-labelledby="(\w+)_label"')
_HEADING = re.compile(r'<label class="md-nav__title" for="(__nav_\d\w*)"')
_SEARCH = 'data-md-component="search" role="dialog"'


def on_post_page(output: str, **_: object) -> str:
    """Name each navigation by its own heading, and the search."""
    named = _NAVIGATION.sub(r'\1 aria-labelledby="\2_title"', output)
    headed = _HEADING.sub(r'<label class="md-nav__title" for="\1" id="\1_title"', named)
    return headed.replace(_SEARCH, f'{_SEARCH} aria-label="Search"')
