"""Days staged and worked in this process, without a transport."""
