"""The studio: a local web page that shows runs and their days, both finished and in progress."""
