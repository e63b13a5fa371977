"""Tables with blanks, and the rates that some of them need."""
