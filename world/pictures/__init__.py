"""Pictures stored as the data they show and drawn when somebody views them."""
