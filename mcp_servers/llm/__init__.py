"""Language models behind OpenAI-compatible endpoints: which there are, and how they are asked."""
