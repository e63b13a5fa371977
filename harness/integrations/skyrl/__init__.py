"""SkyRL: a text environment for its generator."""
