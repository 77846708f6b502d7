"""Three servers that are useful in themselves, and proof of how little a server has to say about errors."""
