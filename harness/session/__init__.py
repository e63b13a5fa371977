"""What an agent is given for one day: tools, prompt, limits."""
