"""What the image serves."""
