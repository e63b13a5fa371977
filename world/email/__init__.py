"""The parts of the mail app: messages, addresses, mailboxes, RFC 5322."""
