"""Tables with gaps, and the rates that some of them need."""
