"""Finding agents by name, checking their settings, and running them."""
