"""Looking at pictures as they are shown, pixel by pixel, for honest workers."""
