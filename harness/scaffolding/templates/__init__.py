"""The skeletons as text: Python once the placeholder has been replaced."""
