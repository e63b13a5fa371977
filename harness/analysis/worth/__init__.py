"""Pictures of what the steps of a day were worth."""
