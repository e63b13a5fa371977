"""The server of the image."""
