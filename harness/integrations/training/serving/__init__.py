"""Days for many clients of a server: sessions that survive their connection and their process."""
