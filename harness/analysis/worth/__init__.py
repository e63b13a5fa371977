"""Pictures of the worth of a day's steps."""
