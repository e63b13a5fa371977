"""The company: its people, positions and directory."""
