"""A published sentence encoder out of a PyPI package."""
