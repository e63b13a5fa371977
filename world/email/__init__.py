"""Mail as the mail app keeps it: what a message is, how it is addressed, its standard form."""
