"""How a day can be worked honestly, as a picture of its needs and the calls that served them."""
