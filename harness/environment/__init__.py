"""A day that is stepped in this process, without an event loop: for training and search."""
