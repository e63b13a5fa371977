"""What the mail app is made of: the message model, addresses, mailboxes, the RFC 5322 form."""
