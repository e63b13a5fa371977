"""Pictures of how a day can be worked honestly: its needs, and the calls that served them."""
