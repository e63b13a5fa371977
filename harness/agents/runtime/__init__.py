"""Finding agents by name and running them."""
